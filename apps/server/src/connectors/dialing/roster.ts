// The containers of one connector that run, as devices with links.
import type { Container, Engine } from '@bowline/engine/client'
import { EngineError } from '@bowline/engine/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Link, LinkCause, LinkHandler } from '@bowline/link/api'
import { localLink } from '@bowline/link/local'
import { BowlineError } from '@bowline/contract/errors'
import type { DeviceActor, TenantContext } from '../../context.ts'
import { registerContainer } from '../../devices/containers.ts'
import { containerHandler } from '../containers/container-link.ts'

/** The part of the gateway that knows the links of devices. */
export interface DeviceLinks {
  add(device: DeviceActor, link: Link, remoteAddress: string): { closed(cause: LinkCause): void }
}

export interface RosterParts {
  readonly connector: string
  /** Its source is the address of the engine. */
  readonly ctx: TenantContext
  readonly engine: Engine
  /** For sessions. */
  readonly sessions: Engine
  readonly about: { readonly engineVersion: string; readonly arch: string }
  readonly links: DeviceLinks
}

/** Streams of one container. */
const MAX_STREAMS = 512
const STOPPED: LinkCause = { by: 'agent', reason: 'container-stopped', message: 'The container has stopped.' }

export class Roster {
  readonly #parts: RosterParts
  readonly #running = new Map<string, Link>()

  constructor(parts: RosterParts) {
    this.#parts = parts
  }

  get size(): number {
    return this.#running.size
  }

  /**
   * Compares with a list of the engine. A container that the list leaves out is looked up before it counts as stopped:
   * one bad answer must not end sessions.
   * @returns number of containers that are too many
   */
  async compare(list: readonly Container[]): Promise<number> {
    const listed = new Map(list.filter(({ isRunning }) => isRunning).map((container) => [container.id, container]))
    for (const id of this.#running.keys()) {
      if (listed.has(id)) continue
      // Without an answer it keeps running.
      await this.look(id).catch((error: unknown) => {
        if (!(error instanceof EngineError)) throw error
      })
    }
    const others = [...listed.values()].filter(({ id }) => !this.#running.has(id))
    // Also a refused one costs queries, and an engine may list a hundred thousand.
    const tried = others.slice(0, LIMITS.containersPerConnector)
    let tooMany = others.length - tried.length
    for (const container of tried) if (!(await this.#add(container))) tooMany += 1
    return tooMany
  }

  /** Asks the engine about one container. @throws {EngineError} when it does not answer; nothing changes then */
  async look(id: string): Promise<void> {
    const found = await this.#parts.engine.inspect(id)
    if (found?.isRunning) await this.#add(found)
    else this.#running.get(id)?.close(STOPPED)
  }

  /** Takes all containers offline. */
  close(cause: LinkCause): void {
    for (const link of this.#running.values()) link.close(cause)
  }

  /** @returns false when there are too many */
  async #add({ id, name, image }: Container): Promise<boolean> {
    if (this.#running.has(id)) return true
    if (this.#running.size >= LIMITS.containersPerConnector) return false
    const { connector, ctx, about } = this.#parts
    let uid: DeviceUid
    try {
      uid = await registerContainer(ctx, { connector, id, name, image, ...about })
    } catch (error) {
      // Too many pending devices: the next comparison tries again.
      if (error instanceof BowlineError) return false
      throw error
    }
    this.#link(id, uid)
    return true
  }

  #link(id: string, uid: DeviceUid): void {
    const { sessions: engine, ctx, links } = this.#parts
    const { clock, log } = ctx
    const near: { events?: ReturnType<DeviceLinks['add']> } = {}
    const refusal: LinkCause = { by: 'gateway', reason: 'refused', message: 'Containers open no streams.' }
    const gateway: LinkHandler = {
      open: () => refusal,
      closed: (cause) => {
        this.#running.delete(id)
        near.events?.closed(cause)
      },
    }
    const device = containerHandler({ engine, clock, container: id, closed: () => undefined })
    const link = localLink({
      gateway,
      device,
      clock,
      options: { maxStreams: MAX_STREAMS },
      report: (error, callback) => log.error('connector.error', { device: uid, callback, err: error }),
    })
    this.#running.set(id, link.gateway)
    near.events = links.add({ kind: 'device', uid, tenant: ctx.tenant, proven: true }, link.gateway, ctx.source)
  }
}
