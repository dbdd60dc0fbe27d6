/**
 * One run of an explored world: choices that are given, and then those that come first, until the world is at rest; and the verdict about it.
 *
 * At each point all is still: no code runs, and no time passes, until a choice is made.
 */

import { isObject } from "../../../model/json.ts";
import type { Seconds } from "../../../runtime/host.ts";
import { type Found, isForChange, judgeRecord } from "../simulation/invariants.ts";
import { History } from "../simulation/history.ts";
import type { Journal, SeenRequest } from "../simulation/journal.ts";
import type { Plan, Step } from "../simulation/plan.ts";
import { plannedIn, QUIET } from "../simulation/rest.ts";
import { compareWithCalm, endWorld, judge, type Pictures, type RunSetting } from "../simulation/run_plan.ts";
import { takePicture } from "../simulation/picture.ts";
import { isAuthorsWrite } from "../simulation/wire.ts";
import { World } from "../simulation/world.ts";
import { Author, type AuthorOptions, type Move, subjectOf } from "./author.ts";
import { HeldTraffic, type Message } from "./held_traffic.ts";
import type { Footprints } from "./footprints.ts";
import type { StateKeys } from "./state_key.ts";

/** How many faults of each sort there are. */
export interface Faults {
  readonly kills: number;
  readonly losses: number;
  readonly delays: number;
}

/** A choice at a point. */
export interface Choice {
  /** The same in each repetition of a run. */
  readonly label: string;
  /** Which fault it is, if it is one. */
  readonly fault: keyof Faults | undefined;
  /** Whether it is none of the ordinary: not the first message that was sent, or a move that is not due. */
  readonly isTurn: boolean;
  readonly take: () => void | Promise<void>;
}

/** A point of a run: all is still, and there are choices. */
export interface Point {
  /** The choices that were made before. */
  readonly choices: readonly string[];
  /** The choices there are, the ordinary one first. */
  readonly options: readonly Choice[];
  /** The faults so far. */
  readonly used: Faults;
  /** Returns the key of the state. */
  readonly key: () => string;
}

/** The fate of a run at a point: it goes on, is cut as the state was seen, or is led to its end without more choices. */
export type Verdict = "go" | "cut" | "end";

/** The parts of a run. */
export interface ChoicesOptions {
  readonly plan: Plan;
  readonly author: AuthorOptions;
  readonly setting: RunSetting;
  readonly faults: Faults;
  /** How many faults there are in all. */
  readonly most: number;
  readonly holdsReads: boolean;
  /** Whether results are compared with those of calm runs. */
  readonly compare: boolean;
  readonly keys: StateKeys;
  readonly footprints: Footprints;
  /** The states of the server in which a process was killed. */
  readonly killed: Set<string>;
  /** The choices to begin with. */
  readonly given: readonly string[];
  /** Whether given choices that are not there are passed over. Default: they are an error. */
  readonly isTolerant?: boolean;
  /** Is asked at each point after the given choices. */
  readonly visit: (point: Point) => Verdict;
}

/** A run that has ended. */
export interface ChoicesRun {
  readonly found: Found | undefined;
  readonly journal: Journal;
  readonly choices: readonly string[];
  /** The choices up to the last one that was not the ordinary one: a repetition needs no others. */
  readonly needed: readonly string[];
  /** Whether a given choice was not there. */
  readonly isOther: boolean;
  /** How many lines the journal had when the last choice was made. */
  readonly lines: number;
}

/** How long messages may take to come to rest that nothing holds; more is a loop. */
const MOST_LOOKS = 3000;

/** Runs the choices. */
export async function runChoices(options: ChoicesOptions): Promise<ChoicesRun> {
  const run = new Run(options);
  try {
    return await run.live();
  } finally {
    await endWorld(run.world, options.setting);
  }
}

class Run {
  readonly world: World;
  readonly #options: ChoicesOptions;
  readonly #traffic: HeldTraffic;
  readonly #author: Author;
  readonly #others = new History(() => this.world.now);
  readonly #followed = new Set<string>();
  readonly #choices: string[] = [];
  /** The author's moves so far. */
  readonly #steps: Step[] = [];
  readonly #given: string[];
  #used: Faults = { kills: 0, losses: 0, delays: 0 };
  /** When something happened last that is no timer's work; and how many calls there were then. */
  #active: Seconds = -Infinity;
  #calls = 0;
  #hasEnded = false;
  #isCut = false;
  /** Whether nothing is chosen any more. */
  #isLed = false;
  #isOther = false;
  #needed = 0;
  #lines = 0;
  #phase: "alive" | "deleted" = "alive";

  constructor(options: ChoicesOptions) {
    const { setting, plan, author, holdsReads, given, footprints } = options;
    this.#options = options;
    this.#given = [...given];
    const cluster = setting.fork();
    this.#traffic = new HeldTraffic({
      clock: cluster.host.clock,
      kinds: setting.kinds,
      holdsReads,
      onRequest: (request, subject) => {
        footprints.add(request, subject);
        this.#follow(request);
      },
    });
    this.world = new World({ ...setting, cluster, seed: plan.seed, traffic: this.#traffic });
    this.#author = new Author(plan, author);
  }

  async live(): Promise<ChoicesRun> {
    const { world } = this;
    await world.start();
    await this.#settle();
    this.#traffic.hold();
    const found = await this.#judged();
    if (found !== undefined) world.journal.say("finding", found.message);
    return {
      found,
      journal: world.journal,
      choices: this.#choices,
      needed: this.#choices.slice(0, this.#needed),
      lines: this.#lines,
      isOther: this.#isOther,
    };
  }

  async #judged(): Promise<Found | undefined> {
    const { world } = this;
    const { compare } = this.#options;
    const chance = await this.#go();
    if (chance !== undefined) return chance;
    if (this.#isCut) return judgeRecord(world)[0];
    const alive = await this.#rest("alive");
    if (alive !== undefined) return alive;
    const pictures = { alive: await takePicture(world), moving: new Set<string>() };
    const plan = {
      seed: this.#options.plan.seed,
      steps: [...this.#steps],
      compare,
    };
    this.#phase = "deleted";
    this.#author.finish();
    this.#hasEnded = false;
    if (!this.#isLed) this.#traffic.hold();
    const late = await this.#go();
    if (late !== undefined) return late;
    if (this.#isCut) {
      return judgeRecord(world)[0] ?? await this.#compare(plan, { ...pictures, deleted: undefined });
    }
    const deleted = await this.#rest("deleted") ?? await this.#left();
    if (deleted !== undefined) return deleted;
    return await this.#compare(plan, { ...pictures, deleted: await takePicture(world) });
  }

  /** Lets all messages pass, and judges the world at rest. */
  async #rest(phase: "alive" | "deleted"): Promise<Found | undefined> {
    this.#traffic.release();
    return await judge({ world: this.world, setting: this.#options.setting }, phase);
  }

  async #compare(plan: Plan, pictures: Pictures): Promise<Found | undefined> {
    if (plan.compare !== true) return undefined;
    const { journal } = this.world;
    return await compareWithCalm(plan, this.#options.setting, { pictures, journal });
  }

  async #left(): Promise<Found | undefined> {
    for (const step of this.#options.plan.steps) {
      const left = "name" in step ? await this.world.find(step) : undefined;
      if (left === undefined) continue;
      const finalizers = left.metadata.finalizers?.join(", ");
      return {
        rule: "deletion",
        message: `\`${left.metadata.name}\` does not go: its finalizers are ${finalizers}`,
      };
    }
  }

  /** Makes choices until the phase ends. */
  async #go(): Promise<Found | undefined> {
    for (;;) {
      await this.#settle();
      if (this.#isLed) return await this.#goOn();
      const chance = this.#options.setting.chance?.();
      if (chance !== undefined) return chance;
      if (this.#hasEnded) return undefined;
      const options = this.#choicesNow();
      const choice = this.#given.length > 0 ? this.#nextGiven(options) : this.#visited(options);
      if (choice === undefined) return this.#isLed ? await this.#goOn() : undefined;
      this.#choices.push(choice.label);
      this.#lines = this.world.journal.lines.length;
      if (choice !== options[0]) this.#needed = this.#choices.length;
      if (choice.fault !== undefined) {
        this.#used = { ...this.#used, [choice.fault]: this.#used[choice.fault] + 1 };
      }
      await choice.take();
    }
  }

  /** Makes the moves that are due, while all messages pass. */
  async #goOn(): Promise<undefined> {
    this.#traffic.release();
    for (let move = this.#due(); move !== undefined; move = this.#due()) {
      move.take();
      const place = this.#phase === "alive" ? this.#steps.push(move.step) - 1 : -1;
      await this.world.take({ ...move.step, wait: 1 }, place);
    }
  }

  #due(): Move | undefined {
    return this.#author.moves(true).find(({ isDue }) => isDue);
  }

  #nextGiven(options: readonly Choice[]): Choice | undefined {
    while (this.#given.length > 0) {
      const label = this.#given.shift();
      const choice = options.find((each) => each.label === label);
      if (choice !== undefined) return choice;
      this.#isOther = true;
      if (this.#options.isTolerant === true) continue;
      this.#given.length = 0;
      this.#isCut = true;
      return undefined;
    }
    return this.#visited(options);
  }

  #visited(options: readonly Choice[]): Choice | undefined {
    const [first] = options;
    if (first === undefined) return undefined;
    const verdict = this.#options.visit({
      choices: this.#choices,
      options,
      used: this.#used,
      key: () => this.#key(),
    });
    if (verdict === "go") return first;
    if (verdict === "cut") this.#isCut = true;
    else this.#isLed = true;
    return undefined;
  }

  /** Whether no process was killed in this state of the server: all else of a process is gone with it. */
  #isNewForKill(): boolean {
    const { killed } = this.#options;
    const key = this.#options.keys.serverKeyOf({
      world: this.world,
      others: this.#others,
      author: [this.#author.state, this.#used],
    });
    if (this.#given.length > 0) return true;
    const isNew = !killed.has(key);
    killed.add(key);
    return isNew;
  }

  #key(): string {
    const quiet = Math.min(this.world.now - this.#active, QUIET).toFixed(1);
    return this.#options.keys.keyOf({
      world: this.world,
      traffic: this.#traffic,
      others: this.#others,
      author: [this.#author.state, quiet],
    });
  }

  /** Lets everything run until all is still. */
  async #settle(): Promise<void> {
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      await this.world.advance(0.001);
      if (this.#traffic.travelling > 0) continue;
      if (!this.#traffic.deliverKnown((event) => this.#isKnown(event))) break;
    }
    const calls = this.world.journal.calls.filter((seen) => isForChange(seen));
    const count = calls.length + calls.filter(({ end }) => end !== undefined).length;
    if (count !== this.#calls) this.#active = this.world.now;
    this.#calls = count;
  }

  /** Whether the cache of a process has the state that an event tells. */
  #isKnown({ request: { life, kind }, content }: Message): boolean {
    const [type, object] = Array.isArray(content) ? content : [];
    const cache = this.world.lives[life]?.caches.get(kind);
    if (cache === undefined || type !== "MODIFIED" || !isObject(object) || !isObject(object.metadata)) {
      return false;
    }
    const { name, resourceVersion } = object.metadata;
    const known = cache.list().find(({ metadata }) => metadata.name === name);
    return known?.metadata.resourceVersion === resourceVersion;
  }

  /** Returns the choices that there are, the ordinary one first. */
  #choicesNow(): Choice[] {
    const messages = this.#inTurn(this.#traffic.next());
    const isQuiet = messages.length === 0 && this.#isQuiet();
    const moves = this.#author.moves(isQuiet).map((move): Choice => ({
      label: move.label,
      fault: undefined,
      isTurn: !move.isDue || !isQuiet,
      take: async () => {
        move.take();
        this.#active = this.world.now;
        await this.world.take(move.step, this.#phase === "alive" ? this.#steps.push(move.step) - 1 : -1);
      },
    }));
    const faults = this.#faultsOf(messages);
    const ordinary = messages.map((message, index): Choice => ({
      label: message.label,
      fault: undefined,
      isTurn: index > 0,
      take: () => {
        if (index > 0) {
          const first = messages[0]?.words;
          this.world.journal.say(
            "order",
            message.label,
            `${capital(message.words)} arrives, before ${first}`,
          );
        }
        message.release();
      },
    }));
    if (messages.length > 0) return [...ordinary, ...moves, ...faults];
    const ahead: Choice = isQuiet
      ? { label: "rest", fault: undefined, isTurn: false, take: () => void (this.#hasEnded = true) }
      : { label: "time", fault: undefined, isTurn: false, take: () => this.#pass() };
    const due = moves.filter(({ isTurn }) => !isTurn);
    const early = moves.filter(({ isTurn }) => isTurn);
    return isQuiet && due.length > 0 ? [...due, ...early] : [ahead, ...early];
  }

  /** Where objects have nothing in common, the messages about the first of them. */
  #inTurn(messages: readonly Message[]): readonly Message[] {
    const { plan, author } = this.#options;
    if (!author.areApart) return messages;
    const planned = plan.steps.flatMap((step) => "name" in step ? [subjectOf(step)] : []);
    const first = planned.find((subject) => messages.some((message) => message.subject === subject));
    return messages.filter(({ subject }) =>
      subject === first || subject === undefined || !planned.includes(subject)
    );
  }

  #faultsOf(messages: readonly Message[]): Choice[] {
    const { faults: { kills, losses, delays }, most } = this.#options;
    const used = this.#used;
    const choices: Choice[] = [];
    if (used.kills + used.losses + used.delays >= most) return choices;
    const writes = messages.filter(({ request }) => isAuthorsWrite(request)).filter(({ sort }) =>
      sort !== "event"
    );
    if (used.losses < losses) {
      choices.push(...writes.map((message): Choice => ({
        label: `lose ${message.label}`,
        fault: "losses",
        isTurn: false,
        take: () => {
          const why = message.sort === "request" ? "does not arrive" : "is lost";
          this.world.journal.say("fault", `lose ${message.label}`, `${capital(message.words)} ${why}`);
          message.release("lost");
        },
      })));
    }
    const [write] = writes;
    if (write !== undefined && used.kills < kills && this.#isNewForKill()) {
      choices.push({ label: "kill", fault: "kills", isTurn: false, take: () => this.#kill(write) });
    }
    const isStill = messages.length > 0 && messages.every(({ sort }) => sort === "event");
    if (isStill && used.delays < delays) {
      choices.push({
        label: "delay",
        fault: "delays",
        isTurn: false,
        take: async () => {
          const words = messages.map((message) => message.words).join(" and ");
          this.world.journal.say("fault", "delay", `${capital(words)} takes long`);
          await this.#pass(messages.length);
        },
      });
    }
    return choices;
  }

  async #kill(write: Message): Promise<void> {
    const { world } = this;
    const life = world.lives[write.request.life];
    const when = write.sort === "request"
      ? `Before ${write.words} arrives, the process is killed`
      : `Before ${write.words} arrives, the process is killed: it was applied`;
    world.journal.say("fault", `kill ${write.label}`, when);
    life?.kill();
    this.#traffic.drop(write.request.life);
    this.#active = world.now;
    await world.advance(1);
  }

  /** Lets time pass until more than so many messages wait, or for a while. */
  async #pass(waiting = 0): Promise<void> {
    const { clock } = this.world.cluster.host;
    let isOver = false;
    using _end = clock.after(QUIET + 0.1, () => void (isOver = true));
    await clock.until(() => isOver || this.#traffic.next().length > waiting);
  }

  #isQuiet(): boolean {
    const { world } = this;
    return world.now - this.#active >= QUIET && !world.journal.running.some(isForChange) &&
      plannedIn(world) === undefined;
  }

  /** From the first write on, the objects of a kind are a part of states. */
  #follow({ kind, collection, ...request }: SeenRequest): void {
    if (!isAuthorsWrite({ kind, collection, ...request }) || this.#followed.has(collection)) return;
    this.#followed.add(collection);
    if (this.world.kinds.has(kind)) return;
    void this.#others.followAt(collection, { kind }, this.world.cluster.server);
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
