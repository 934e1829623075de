/** What editors show of the package: every exported name, and every member of an exported type, has a text. */
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/** Exported names and `Type.member`, each with its text; '' where there is none. */
function hoverTexts(): Map<string, string> {
  const file = `${dist}index.d.ts`;
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    types: ['node'],
  });
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.Node) as ts.Symbol;
  const texts = new Map<string, string>();
  const note = (name: string, symbol: ts.Symbol): void => {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
    texts.set(name, texts.get(name) || text);
  };
  const members = (name: string, type: ts.Type): void => {
    const parts = type.isUnion() ? type.types : [type];
    for (const member of parts.flatMap((part) => part.getProperties())) {
      const [declaration] = member.declarations ?? [];
      // Members of arrays, errors and the like are not ours.
      if (declaration?.getSourceFile().fileName.startsWith(dist) !== true) continue;
      if (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) continue;
      // What a subclass of Error is called says all.
      if (member.name === 'name' && name.endsWith('Error')) continue;
      note(`${name}.${member.name}`, member);
    }
  };
  for (const exported of checker.getExportsOfModule(module)) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    note(exported.name, symbol);
    if (symbol.flags & ts.SymbolFlags.Type) members(exported.name, checker.getDeclaredTypeOfSymbol(symbol));
    // Parameters of the functions that make entries of learner sets.
    for (const call of checker.getTypeOfSymbol(symbol).getCallSignatures()) {
      if (symbol.flags & ts.SymbolFlags.Variable) members(exported.name, call.getReturnType());
    }
  }
  return texts;
}

test('every exported name and every member of an exported type has a text', { timeout: 60_000 }, () => {
  const texts = hoverTexts();
  expect([...texts].filter(([, text]) => text === '').map(([name]) => name)).toEqual([]);
  // From the schemas: with ranges and defaults, in types of logs, policies and learners.
  expect(texts.get('Mapping.payoff')).toBe('Column of the payoff: a number.');
  expect(texts.get('LinearSpec.weights')).toMatch(/\[P, K, d\] or \[K, d\]/);
  expect(texts.get('UniformSpec')).toMatch(/^A random candidate per event/);
  expect(texts.get('linucb')).toMatch(/ridge regression per arm.*WWW 2010/);
  expect(texts.get('linucb.alpha')).toBe('α: width of the confidence bound; 0 is greedy. Range: ≥ 0. Default: 1.');
  expect(texts.get('exp4.experts')).toMatch(/^A policy set/);
  expect(texts.get('LearnerInput.alpha')).toMatch(/α/);
  expect(texts.size).toBeGreaterThan(500);
});
