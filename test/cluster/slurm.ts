/** Slurm on this host: two virtual nodes, everything in one folder, stopped to the last process. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { requirePrograms, untested } from '../programs.js';

export type Node = 'n1' | 'n2';
export const NODES: readonly Node[] = ['n1', 'n2'];

/** @returns whether Slurm can be started here. */
export function requireSlurm(): boolean {
  const programs = ['munged', 'slurmctld', 'slurmd', 'sbatch', 'scontrol'];
  if (!requirePrograms(programs, 'nothing was run on Slurm')) return false;
  return (
    process.getuid?.() === 0 || untested('only root can start munged and slurmctld here; nothing was run on Slurm')
  );
}

/** A task or a merge, as far as it is a process of this host. */
export interface JobProcess {
  readonly pid: number;
  readonly node: Node;
  /** `null`: it is no task of an array. */
  readonly part: number | null;
}

export class Slurm {
  private constructor(
    private readonly folder: string,
    /** Of whoever uses it. */
    readonly env: Record<string, string>,
  ) {}

  /** @param folder that is empty. */
  static async start(folder: string): Promise<Slurm> {
    const [controller, first] = await freePorts();
    const file = join(folder, 'slurm.conf');
    for (const name of ['state', 'log', ...NODES]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'munge.key'), randomBytes(128), { mode: 0o400 });
    writeFileSync(file, configuration(folder, controller, first));
    // By it processes of this Slurm are told from all others, those of its jobs too.
    const slurm = new Slurm(folder, { SLURM_CONF: file });
    process.once('exit', () => slurm.killAll());
    const files = [
      'key-file=munge.key',
      'socket=munge.sock',
      'pid-file=munge.pid',
      'log-file=log/munged',
      'seed-file=seed',
    ];
    const options = files.map((option) => `--${option.replace('=', `=${folder}/`)}`);
    slurm.daemon('munged', ['--foreground', '--force', ...options]);
    slurm.daemon('slurmctld', ['-D', '-i']);
    for (const node of NODES) slurm.startNode(node);
    await slurm.until(
      'both nodes are idle',
      () => slurm.tell('sinfo', '--noheader', '--format=%D %t').trim() === '2 idle',
    );
    return slurm;
  }

  startNode(node: Node): void {
    this.daemon('slurmd', ['-D', '-N', node]);
  }

  /** Runs one of Slurm's commands. @returns what it printed. */
  tell(program: string, ...argv: string[]): string {
    return execFileSync(program, argv, { encoding: 'utf8', env: { ...process.env, ...this.env }, stdio: 'pipe' });
  }

  /** Lets jobs that were given back start at once: Slurm makes them wait two minutes. */
  hurry(): void {
    for (const job of this.tell('squeue', '--noheader', '--array', '--states=PENDING', '--format=%i|%r').split('\n')) {
      const [id, reason] = job.split('|');
      if (reason !== 'BeginTime') continue;
      try {
        this.tell('scontrol', 'update', `JobId=${id}`, 'StartTime=now');
      } catch {
        // It has left the queue meanwhile, or is still leaving its node.
      }
    }
  }

  /** The processes of hindcast that jobs of this Slurm run. */
  jobs(): JobProcess[] {
    return this.processes().flatMap(({ pid, command, env }) => {
      const node = NODES.find((name) => name === env.get('SLURMD_NODENAME'));
      const isOurs = node !== undefined && /^[^\0]*node\0[^\0]*main\.js\0/.test(command);
      const part = env.get('SLURM_ARRAY_TASK_ID');
      return isOurs ? [{ pid, node, part: part === undefined ? null : Number(part) }] : [];
    });
  }

  /** Ends the daemon of a node, and where `all` is true whatever runs on it. */
  killNode(node: Node, all: boolean): void {
    for (const { pid, command, env } of this.processes()) {
      const daemon = command.startsWith(`slurmd\0-D\0-N\0${node}\0`);
      const step = command.startsWith('slurmstepd') && this.stepNode(pid) === node;
      if (daemon || (all && (step || env.get('SLURMD_NODENAME') === node))) kill(pid);
    }
  }

  /** Ends all that was started, and what that has started. */
  async stop(): Promise<void> {
    for (let looks = 0; this.killAll() > 0 && looks < 100; looks++) await sleep(50);
  }

  private killAll(): number {
    const processes = this.processes();
    for (const { pid } of processes) kill(pid);
    return processes.length;
  }

  async until(what: string, holds: () => boolean, seconds = 60): Promise<void> {
    for (const end = Date.now() + seconds * 1000; ; ) {
      try {
        if (holds()) return;
      } catch (error) {
        if (Date.now() > end) throw error;
      }
      if (Date.now() > end) throw new Error(`it took more than ${seconds} s until ${what}\n${this.logs()}`);
      await sleep(100);
    }
  }

  private logs(): string {
    const names = readdirSync(join(this.folder, 'log'));
    return names
      .map((name) => `${name}:\n${readFileSync(join(this.folder, 'log', name), 'utf8').slice(-2000)}`)
      .join('\n');
  }

  private daemon(program: string, argv: string[]): ChildProcess {
    const log = openSync(join(this.folder, 'log', `${program}-${argv.at(-1)?.replaceAll('/', '_')}`), 'a');
    const child = spawn(program, argv, { env: { ...process.env, ...this.env }, stdio: ['ignore', log, log] });
    child.on('error', () => {});
    return child;
  }

  /** The node of a step: that of what it has started. */
  private stepNode(step: number): string | undefined {
    return this.processes()
      .find(({ pid }) => parentOf(pid) === step)
      ?.env.get('SLURMD_NODENAME');
  }

  private processes(): { pid: number; command: string; env: Map<string, string> }[] {
    return readdirSync('/proc').flatMap((name) => {
      const pid = Number(name);
      if (!Number.isInteger(pid) || pid === process.pid) return [];
      try {
        const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        if (!pairs.includes(`SLURM_CONF=${this.env.SLURM_CONF}`)) return [];
        const env = new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
        return [{ pid, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8'), env }];
      } catch {
        return [];
      }
    });
  }
}

function parentOf(pid: number): number {
  try {
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[1],
    );
  } catch {
    return 0;
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** A port, and the first of two others in a row. */
async function freePorts(): Promise<[number, number]> {
  for (;;) {
    const [one, two] = [await freePort(), await freePort()];
    const next = await freePort(two + 1).catch(() => null);
    if (next !== null && one !== two && one !== next) return [one, two];
  }
}

function freePort(wanted = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function configuration(folder: string, controller: number, first: number): string {
  return `ClusterName=hindcast
SlurmctldHost=${hostname()}(127.0.0.1)
SlurmctldPort=${controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=${folder}/munge.sock
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/%n
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/%n.pid
ReturnToService=2
SlurmdTimeout=10
KillWait=5
SchedulerParameters=batch_sched_delay=1,sched_interval=2
NodeName=n[1-2] NodeHostname=${hostname()} NodeAddr=127.0.0.1 Port=[${first}-${first + 1}] CPUs=2 State=UNKNOWN
PartitionName=main Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP
`;
}
