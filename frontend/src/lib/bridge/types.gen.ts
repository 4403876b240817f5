// Written by build/wiretypes from backend/api/wire.go; `make types` writes it anew.

/** Standing is what a run does now. */
export type Standing =
  | 'new' // made, never worked on
  | 'working'
  | 'waiting' // for a probe; costs nothing
  | 'paused'
  | 'needs_you' // a gate is open
  | 'interrupted' // its worker is gone
  | 'ended'
  | 'broken'; // its records cannot be read

/** RunList is what the list of runs shows. */
export interface RunList {
  /** newest first */
  runs: RunSummary[];
}

/** RunSummary is one run in short. It is made from a cache of the run's ledger. */
export interface RunSummary {
  id: string;
  title: string;
  standing: Standing;
  /** completed, incomplete, stopped, aborted */
  outcome?: string;
  /** why it ended, what it asks or what it waits for, as recorded */
  reason?: string;
  /** trigger of the open gate */
  gate?: string;
  asked_at?: number;
  round: number;
  /** limit */
  rounds: number;
  /** that runs */
  phase?: string;
  /** gui or cli, of the running step */
  surface?: string;
  /** the newest */
  verdict?: Verdict;
  active_ms: number;
  /** absent: unknown */
  micro_usd?: number;
  created_at: number;
  changed_at: number;
  workspace: string;
  unattended?: boolean;
  /** why it cannot be read */
  problem?: string;
}

/** Verdict is the three words of an audit. */
export interface Verdict {
  /** complete, incomplete, blocked */
  status: string;
  /** clean, suspect, violation */
  integrity: string;
  /** aligned, needs_revision, invalid, unknown */
  contract: string;
  supports: boolean;
}

/** RunView is a run as the live screen shows it. With a sequence number asked for it holds only the rounds and the parts that changed after it: a part that is absent is as it was. */
export interface RunView {
  run: RunSummary;
  /** of the newest record in it */
  seq: number;
  /** what was asked for; 0: everything is here */
  after?: number;
  round_count: number;
  /** changed after After, oldest first */
  round_rows: RoundRow[];
  budgets: Budget[];
  /** why it does or waits for what it does */
  why: Why;
  /** absent: none is open */
  gate?: Gate;
  worker: Worker;
  sealed: Sealed;
  /** level of protection */
  guard: string;
  /** why no better level, as recorded */
  guard_why: string;
  /** the reporter's answer */
  reply?: string;
  reply_cut?: boolean;
  /** of the run's folder */
  path: string;
  stopping?: boolean;
  /** what is believed; whole when present, unless ?records=changed was asked */
  records?: Record[];
  /** whole when present */
  messages?: Message[];
  checkpoints: number;
}

/** Why says why a run does what it does: a code the page has words for, and what belongs into them. */
export interface Why {
  /** phase_runs, between_phases, gate_open, probe, throttled, paused, stopping, ended, worker_gone, worker_starting, workspace_missing, broken, newer_version */
  code: string;
  facts?: { [key: string]: string };
}

/** Budget is one limit and how much of it is used. Used is absent where nobody knows. */
export interface Budget {
  /** rounds, active_ms, micro_usd, tokens, deadline */
  name: string;
  used?: number;
  /** 0: none */
  limit?: number;
  /** 80 % has been passed */
  noted?: boolean;
}

/** Worker is the process at work on a run. */
export interface Worker {
  alive: boolean;
  pid?: number;
  beat_at?: number;
  /** last line of its log, when it ended badly */
  ended?: string;
}

/** Sealed is how far the ledger is signed. */
export interface Sealed {
  /** newest anchor */
  to: number;
  /** the first record that is not as written */
  problem?: string;
}

/** Stage is one phase of a round. */
export interface Stage {
  /** plan, execute, check, audit, final_check, final_audit, report, probe */
  phase: string;
  /** running, done, failed, interrupted */
  state: string;
  attempt: number;
  agent?: string;
  began: number;
  ended?: number;
  /** kind of failure */
  fail?: string;
  /** as recorded, one line */
  detail?: string;
  /** machine checks */
  passed?: number;
  /** machine checks, hidden ones included */
  failed?: number;
  micro_usd?: number;
}

/** RoundRow is a round in the timeline. */
export interface RoundRow {
  n: number;
  /** seq of the newest record about it */
  changed: number;
  /** first line of the task, bounded */
  step: string;
  route?: string;
  /** supported, unsupported, refused, failed, asked, waited, done */
  end?: string;
  began: number;
  closed?: number;
  stages: Stage[];
  /** after downgrades */
  verdict?: Verdict;
  /** what the auditor said, where that differs */
  said?: Verdict;
  /** reasons, as recorded */
  lowered?: string[];
  /** why it is not supported, as recorded */
  why?: string;
  /** entries the executor changed */
  changes: number;
  violations?: number;
}

/** RoundDetail is one round whole. */
export interface RoundDetail {
  row: RoundRow;
  task?: string;
  criteria?: string[];
  /** requirement ids */
  serves?: string[];
  boundaries?: string;
  question?: string;
  /** check text of a wait */
  until?: string;
  missing?: string[];
  plan_said?: Said;
  executor?: Said;
  exit?: number;
  checks?: Check[];
  hidden_failed?: number;
  audit?: Said;
  final_checks?: Check[];
  final_hidden_failed?: number;
  final_audit?: Said;
  final?: Verdict;
  changed?: ChangeList[];
  violated?: ChangeList[];
}

/** Said is what a role said. Cut means that Text is its beginning; the whole is at /api/runs/ID/texts/DIGEST. */
export interface Said {
  text: string;
  cut?: boolean;
  digest?: string;
  size?: number;
}

/** Check is one machine check and what was found. */
export interface Check {
  check: string;
  /** pass, fail, error */
  status: string;
  proof: string;
  ms: number;
}

/** ChangeList is a bounded account of what changed in the workspace. */
export interface ChangeList {
  /** a phase, between, away */
  during: string;
  count: number;
  first: Change[];
}

/** Change is one entry of the workspace. Path is quoted where it has odd bytes. */
export interface Change {
  path: string;
  what: string;
  kind: string;
  ignored?: boolean;
}

/** Record is one belief of the run. */
export interface Record {
  id: string;
  /** completed, pending, blocked, untrusted */
  mark: string;
  text: string;
  /** whose audit stands behind it */
  round?: number;
  /** quoted from the task */
  task?: boolean;
}

/** Message is what the person said to the run. */
export interface Message {
  id: string;
  text: string;
  at: number;
  /** round; 0: not read yet */
  used_by?: number;
}

/** Gate is a question to the person. */
export interface Gate {
  id: string;
  /** completed, max_rounds, needs_input, needs_human, repeated_failure */
  trigger: string;
  /** stable code */
  reason: string;
  question: string;
  choices?: string[];
  details?: string[];
  /** the newest failed rounds, side by side */
  failures?: GateFailure[];
  at: number;
  round: number;
  /** rounds that may still start */
  left: number;
}

/** GateFailure is one failed round in the dialog. */
export interface GateFailure {
  n: number;
  ended: number;
  verdict?: Verdict;
  why: string;
  /** first that failed */
  check?: string;
  proof?: string;
}

/** Command is one wish of the person's. Its id is made by the page: the same id has one effect, however often it arrives. */
export interface Command {
  id: string;
  /** answer, send, stop, abort, pause, resume */
  kind: string;
  /** the gate that answer is for */
  gate?: string;
  /** answer: end the run, or accept the result */
  end?: boolean;
  text?: string;
  /** to add */
  rounds?: number;
}

/** Receipt says what became of a command. */
export interface Receipt {
  id: string;
  /** of the record; absent for resume without one */
  seq?: number;
  /** why it had no effect, as recorded */
  refused?: string;
}

/** TaskDraft is a task file as the person gives it: its text, or one that was dropped on the window, or a path on this machine. */
export interface TaskDraft {
  name?: string;
  text?: string;
  /** of a dropped file; see Offer */
  offer?: string;
  path?: string;
  /** overrides the task's */
  workspace?: string;
  /** overrides all roles */
  agent?: string;
  /** overrides the limit */
  rounds?: number;
}

/** Inspection is what a draft is understood to ask for, before anything starts. */
export interface Inspection {
  name: string;
  text: string;
  size: number;
  digest: string;
  title: string;
  problems: Problem[];
  requirements?: Record[];
  checks?: string[];
  hidden?: number;
  steps?: number;
  workspace: Folder;
  roles: Role[];
  /** that can be chosen */
  agents: string[];
  limits: Budget[];
  guard: string;
  /** Longwatch may put the workspace back by itself */
  restores?: boolean;
  /** what it wants outside the workspace, as written */
  asks?: string[];
  /** why it cannot start; empty: it can */
  blockers: Blocker[];
}

/** Problem is one thing that is wrong with a task file, at its line. */
export interface Problem {
  line?: number;
  col?: number;
  /** error, warning, note */
  severity: string;
  code: string;
  text: string;
  fix?: string;
}

/** Folder is where a run will work. */
export interface Folder {
  path: string;
  exists: boolean;
  /** it will be made at the start */
  made?: boolean;
  files?: number;
  /** more than Files, nobody counted on */
  many?: boolean;
}

/** Role is who plays one role, and whether that can be done here. */
export interface Role {
  /** manager, executor, auditor, reporter */
  role: string;
  agent: string;
  model?: string;
  effort?: string;
  usable: boolean;
  reason?: string;
}

/** Blocker is one reason why a draft cannot start. */
export interface Blocker {
  /** task_problems, no_agent, agent_missing, needs_steps, workspace, workspace_busy, guard, deadline, other */
  code: string;
  text: string;
  line?: number;
}

/** Start asks for a run of a draft. The same id starts one run. */
export interface Start {
  id: string;
  draft: TaskDraft;
}

/** Begun is the run that was started. */
export interface Begun {
  run: string;
}

/** Offer is a file that was dropped on the window, or why it cannot be a task. */
export interface Offer {
  offer?: string;
  /** for people; odd bytes are quoted */
  name: string;
  folder?: boolean;
  problem?: string;
}

/** About is what the page has to know of this Longwatch. */
export interface About {
  version: string;
  /** state folder */
  home: string;
  /** window or browser */
  face: string;
  /** a sample task can be loaded */
  sample: boolean;
}

/** SignIn is the single-use code that `longwatch serve` shows. */
export interface SignIn {
  code: string;
}

/** Probe is one line of the doctor's list. */
export interface Probe {
  name: string;
  /** ok, warning, missing, later */
  state: string;
  text: string;
  fix?: string;
}

/** Changed says that a run has new records, or came or went: then Seq is 0. */
export interface Changed {
  run: string;
  seq: number;
}

/** Failure is the body of every answer that is not a success. */
export interface Failure {
  /** stable: not_found, busy, refused, unreadable, too_large, signed_out, gate_stale, no_worker, disk_full, internal */
  code: string;
  message: string;
  hint?: string;
}
