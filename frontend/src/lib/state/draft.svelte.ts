import {
  asFailed,
  bridge,
  type Dropped,
  type Failed,
  type Inspection,
  newID,
  type TaskDraft,
} from '$lib/bridge';
import { router } from '../../router.svelte';
import { refuse, type Refusal, sort } from './refusal';

/** How long the person may go on typing before the text is looked at, in ms. */
const PAUSE_MS = 300;

/** Draft is the run that is being prepared. It outlives its screen, so that a
 * look elsewhere loses nothing. */
class Draft {
  /** Where the task comes from; its text is in text once that is known. */
  source: TaskDraft = $state.raw({});
  text = $state('');
  workspace = $state('');
  /** A folder that was dropped: the window knows where it is. */
  folder: { offer: string; name: string } | null = $state.raw(null);
  agent = $state('');
  /** As typed. */
  rounds = $state('');

  /** The newest answer, of the draft as it is or as it was a moment ago. */
  inspection: Inspection | null = $state.raw(null);
  /** The inspection is not of the draft as it stands. */
  stale = $state(false);
  failed: Failed | null = $state.raw(null);
  refusals: Refusal[] = $state.raw([]);
  starting = $state(false);

  empty = $derived(this.text.trim() === '' && !this.source.offer && !this.source.path);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;
  #startID = newID();

  /** take makes the first usable file the task; what becomes of the others is
   * in refusals. */
  take(files: Dropped[]): void {
    const { task, others } = sort(files);
    this.refusals = refuse(task, others);
    if (task) this.#begin({ name: task.name, text: task.text, offer: task.offer });
  }

  /** sample takes the sample task. */
  async sample(): Promise<void> {
    try {
      this.#begin(await bridge.sample());
      this.refusals = [];
    } catch (caught) {
      this.failed = asFailed(caught);
    }
  }

  /** edited is called after each change by hand; the look follows a pause. */
  edited(): void {
    this.#startID = newID();
    this.failed = null;
    clearTimeout(this.#timer);
    // Where all text was taken out, its file has nothing to do with it any more.
    if (this.inspection && this.text === '') this.source = {};
    this.stale = !this.empty;
    if (this.empty) this.inspection = null;
    else this.#timer = setTimeout(() => void this.inspect(), PAUSE_MS);
  }

  /** useFolder makes a dropped folder the workspace. */
  useFolder(offer: string, name: string): void {
    this.folder = { offer, name };
    this.refusals = this.refusals.filter((refusal) => refusal.offer !== offer);
    this.edited();
  }

  /** typeFolder makes what was typed the workspace. */
  typeFolder(path: string): void {
    this.folder = null;
    this.workspace = path;
    this.edited();
  }

  /** clear forgets all of it. */
  clear(): void {
    this.refusals = [];
    this.#begin({});
  }

  /** inspect asks what the draft is understood to be. A late answer to an
   * earlier question is dropped. */
  async inspect(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.empty) return;
    const asked = ++this.#asked;
    this.stale = true;
    try {
      const found = await bridge.inspect(this.wire());
      if (asked !== this.#asked) return;
      if (this.text === '') this.text = found.text;
      this.inspection = found;
      this.failed = null;
      this.stale = false;
    } catch (caught) {
      if (asked === this.#asked) this.failed = asFailed(caught);
    }
  }

  /** start begins the run once, however often it is asked to. */
  async start(): Promise<void> {
    if (this.starting) return;
    this.starting = true;
    try {
      const { run } = await bridge.start({ id: this.#startID, draft: this.wire() });
      this.clear();
      router.go({ screen: 'run', id: run });
    } catch (caught) {
      this.failed = asFailed(caught);
    } finally {
      this.starting = false;
    }
  }

  /** wire is the draft as it is sent. */
  wire(): TaskDraft {
    const rounds = /^\d{1,6}$/.test(this.rounds.trim()) ? Number(this.rounds) : 0;
    return {
      ...this.source,
      text: this.text || this.source.text,
      workspace: this.folder?.offer || this.workspace.trim() || this.source.workspace,
      agent: this.agent || undefined,
      rounds: rounds || undefined,
    };
  }

  #begin(source: TaskDraft): void {
    clearTimeout(this.#timer);
    this.#asked++;
    this.#startID = newID();
    this.source = source;
    this.text = source.text ?? '';
    this.workspace = source.workspace ?? '';
    this.folder = null;
    this.agent = source.agent ?? '';
    this.rounds = source.rounds ? String(source.rounds) : '';
    this.inspection = null;
    this.failed = null;
    this.stale = false;
    void this.inspect();
  }
}

export const draft = new Draft();
