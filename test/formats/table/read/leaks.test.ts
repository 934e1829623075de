import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { fault, write } from '../../../log/files.js';

const CSV = 'arm,click,p,cands,time,user,x1,x2\n1,1,0.5,1|2,1500000000000,u1,3,4\n2,0,0.5,1|2,1500000001000,u2,5,6\n';
const ROLES = {
  arm: 'arm',
  payoff: 'click',
  propensity: 'p',
  candidates: 'cands',
  time: 'time',
  user: 'user',
} as const;

describe('columns that have a role', () => {
  const file = () => write('leaks.csv', CSV);

  it('are no part of a pattern', async () => {
    const { contexts, source } = await readLog([file()], { mapping: { ...ROLES, context: ['*'] } });
    expect(contexts.columns).toEqual(['x1', 'x2']);
    expect(source.warnings).toBeUndefined();
    const onehot = await readLog([file()], { mapping: { ...ROLES, context: { onehot: ['*'] } } });
    expect(onehot.contexts.columns).toEqual(['x1=3', 'x1=5', 'x2=4', 'x2=6']);
    const none = await fault(readLog([file()], { mapping: { ...ROLES, context: ['*ser'] } }));
    expect(none.message).toMatch(/but those that the mapping gives a role/);
  });

  for (const [role, column] of Object.entries(ROLES)) {
    it(`are refused by name as a context or a key: ${role}`, async () => {
      for (const extra of [
        { mapping: { ...ROLES, context: { onehot: [column] } } },
        { mapping: { ...ROLES, keys: [column] } },
        { mapping: ROLES, keys: [column] },
      ]) {
        const { message } = await fault(readLog([file()], extra));
        expect(message).toMatch(new RegExp(`the ${role} is a (context|key) too`));
        expect(message).toContain(`--allow-leak ${column}`);
      }
    });
  }

  it('may be contexts and keys on request, with a warning; others need no leave', async () => {
    const mapping = { ...ROLES, context: { onehot: ['user'], numeric: ['*'] } };
    const log = await readLog([file()], { mapping, keys: ['arm'], allowLeak: ['user', 'arm'] });
    expect(log.contexts.columns.slice(0, 2)).toEqual(['user=u1', 'user=u2']);
    expect(log.source.warnings).toEqual([
      expect.stringMatching(/^column "user" is the user and a context too/),
      expect.stringMatching(/^column "arm" is the arm and a key too/),
    ]);
    const wrong = await fault(readLog([file()], { mapping: ROLES, allowLeak: ['usr'] }));
    expect(wrong.message).toMatch(/did you mean "user"\?/);
    const { user: _, ...without } = ROLES;
    const other = await readLog([file()], { mapping: { ...without, context: { onehot: ['user'] } } });
    expect(other.source.warnings).toBeUndefined();
  });
});
