// The calls of the Docker Engine API that containers as devices need. Podman serves the same API.
import type { Duplex } from 'node:stream'
import type { Clock } from '@bowline/base/clock'
import * as z from 'zod'
import { firstFile } from './archive.ts'
import { parseBounded } from './bounded-json.ts'
import { EngineError } from './errors.ts'
import { hijack } from './hijack.ts'
import { type EngineCall, begin, call } from './request.ts'
import type { EngineTarget } from './target.ts'
import { type Watch, watchEvents } from './watch.ts'

/** Largest list of containers, in bytes: some kilobytes for each of a thousand. */
const LIST_BYTES = 8_388_608
/** Largest description of one container or of the engine, in bytes. */
const DOCUMENT_BYTES = 1_048_576
/** Largest file that is read out of a container, in bytes. */
const FILE_BYTES = 262_144

const Id = z.string().regex(/^[0-9a-f]{64}$/, 'is no id')
/** Names and versions are stored and shown: on one line, and not long. */
const label = z.string().transform((text) => text.replaceAll(/\p{C}/gu, '').slice(0, 256))

/** Containers of one list that are looked at. */
const MAX_LISTED = 20_000

const Summary = z.object({ Id, Names: z.array(label).nullish(), Image: label.nullish(), State: z.string().nullish() })
const Summaries = z.array(z.unknown()).max(MAX_LISTED).pipe(z.array(Summary))
const Details = z.object({
  Id,
  Name: label.nullish(),
  State: z.object({ Running: z.boolean() }),
  Config: z.object({ Image: label.nullish() }).nullish(),
})
const Version = z.object({ Version: label.default(''), Arch: label.default(''), ApiVersion: label.default('') })
const Info = z.record(z.string(), z.unknown())
const Created = z.object({ Id })
const ExecState = z.object({ Running: z.boolean(), ExitCode: z.number().int().nullish() })
const Event = z.object({
  Type: z.string().nullish(),
  Action: z.string().nullish(),
  Actor: z.object({ ID: z.string() }),
})

export interface Container {
  /** 64 hex digits. */
  readonly id: string
  /** Without the leading slash; '' when it has none. */
  readonly name: string
  readonly image: string
  readonly isRunning: boolean
}

export interface Exec {
  /** Program and arguments. */
  readonly command: readonly string[]
  /** `NAME=value` */
  readonly env: readonly string[]
  /** Account, or `uid:gid`. */
  readonly user: string
  readonly tty: boolean
}

/** An engine. Every call has a connection of its own, and rejects with an {@link EngineError} when it fails. */
export interface Engine {
  version(): Promise<z.infer<typeof Version>>
  /** The document of `GET /info`, as the engine sends it. */
  info(): Promise<Record<string, unknown>>
  /** Running containers. */
  list(): Promise<Container[]>
  /** @returns undefined when the engine says that there is no such container */
  inspect(id: string): Promise<Container | undefined>
  /** Reads a file of a container without running anything in it. @returns undefined when there is none */
  readFile(id: string, path: string): Promise<Buffer | undefined>
  /**
   * Watches for changes of containers.
   * @param changed receives the id of a container that something happened to
   * @param ended called once when the engine ends the stream
   */
  watch(changed: (id: string) => void, ended: (error: EngineError) => void): Promise<Watch>
  /** Prepares a process in a container. @returns its id */
  createExec(id: string, exec: Exec): Promise<string>
  /** Starts it. @returns the paused raw stream; without a terminal its output is multiplexed */
  startExec(exec: string, tty: boolean): Promise<Duplex>
  /** Changes the size of its terminal, in characters. */
  resizeExec(exec: string, size: { columns: number; rows: number }): Promise<void>
  inspectExec(exec: string): Promise<{ isRunning: boolean; exitCode: number | undefined }>
}

export function createEngine(target: EngineTarget, clock: Clock): Engine {
  const get = async <S extends z.ZodType>(path: string, schema: S, maxBytes = DOCUMENT_BYTES): Promise<z.output<S>> =>
    parse(schema, await call(target, clock, { method: 'GET', path }, maxBytes))
  const post = (path: string, body?: object): Promise<Buffer> => {
    const wanted: EngineCall = { method: 'POST', path, ...(body ? { body } : {}) }
    return call(target, clock, wanted, DOCUMENT_BYTES)
  }
  return {
    version: () => get('/version', Version),
    info: () => get('/info', Info),
    async list() {
      const filters = encodeURIComponent(JSON.stringify({ status: ['running'] }))
      const found = await get(`/containers/json?filters=${filters}`, Summaries, LIST_BYTES)
      return found.map(({ Id, Names, Image, State }) => ({
        id: Id,
        name: bareName(Names?.[0]),
        image: Image ?? '',
        isRunning: State === 'running',
      }))
    },
    inspect: (id) =>
      orUndefined(async () => {
        const found = await get(`/containers/${checked(id)}/json`, Details)
        if (found.Id !== id)
          throw new EngineError('the engine describes another container than the one it was asked for')
        return { id, name: bareName(found.Name), image: found.Config?.Image ?? '', isRunning: found.State.Running }
      }),
    readFile: (id, path) =>
      orUndefined(async () => {
        const at = `/containers/${checked(id)}/archive?path=${encodeURIComponent(path)}`
        return firstFile(await call(target, clock, { method: 'GET', path: at }, FILE_BYTES))
      }),
    async watch(changed, ended) {
      const filters = encodeURIComponent(JSON.stringify({ type: ['container'], event: EVENTS }))
      const response = await begin(target, clock, { method: 'GET', path: `/events?filters=${filters}` })
      const take = (value: unknown): void => {
        const event = Event.safeParse(value).data
        if (event?.Type === 'container' && Id.safeParse(event.Actor.ID).success) changed(event.Actor.ID)
      }
      return watchEvents(response, clock, take, ended)
    },
    async createExec(id, { command, env, user, tty }) {
      const streams = { AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: tty }
      const body = { ...streams, Cmd: command, Env: env, User: user }
      return parse(Created, await post(`/containers/${checked(id)}/exec`, body)).Id
    },
    startExec: (exec, tty) => hijack(target, clock, `/exec/${checked(exec)}/start`, { Detach: false, Tty: tty }),
    async resizeExec(exec, { columns, rows }) {
      await post(`/exec/${checked(exec)}/resize?h=${rows}&w=${columns}`)
    },
    async inspectExec(exec) {
      const { Running, ExitCode } = await get(`/exec/${checked(exec)}/json`, ExecState)
      return { isRunning: Running, exitCode: ExitCode ?? undefined }
    },
  }
}

/** Events after which a container may be another than before, by Docker's names and by podman's. */
const EVENTS = ['start', 'restart', 'die', 'died', 'stop', 'pause', 'unpause', 'rename', 'destroy', 'remove', 'cleanup']

const bareName = (name: string | null | undefined): string => (name ?? '').replace(/^\//, '')

/** @throws {EngineError} before an id that is none becomes part of a path */
function checked(id: string): string {
  if (!Id.safeParse(id).success) throw new EngineError('the id of a container is malformed')
  return id
}

function parse<S extends z.ZodType>(schema: S, body: Buffer): z.output<S> {
  const parsed = schema.safeParse(parseBounded(body.toString()))
  if (!parsed.success) throw new EngineError('an answer of the engine is malformed')
  return parsed.data
}

/** What the engine says is not there. */
async function orUndefined<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return undefined
    throw error
  }
}
