// A way from people to the device: by one of the nodes.
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { Agent } from '../../support/agent.ts'
import type { Server } from '../../support/server.ts'
import type { SshTarget } from '../../support/ssh.ts'
import type { Output } from '../history/history.ts'
import { startNumberedService } from './service.ts'

/** The device, with what all its traffic needs. */
export interface Ground {
  readonly agent: Agent
  /** Empty, for the files of all lanes. */
  readonly folder: string
  /** The service of the device, and the host of its tunnel. */
  readonly service: { readonly port: number; readonly tunnel: string }
  /** A node that no fault of the test touches. */
  readonly steady: Server
  readonly seconds: number
  /** File on the device that sftp fetches. */
  readonly file: string
  readonly kilobitsPerSecond: number
}

export interface Lane extends Ground {
  readonly name: string
  readonly node: Server
  readonly target: SshTarget
}

/** How one kind of traffic ended. */
export interface Ended extends Output {
  /** Why it ended before its end; '' for one that is complete. */
  readonly cause: string
}

/** One kind of traffic that has begun. */
export type Running = Promise<Ended>

/**
 * Prepares the device, and has its sessions recorded.
 * @param seconds that each kind of traffic lasts
 * @param bytes of the file that sftp fetches in that time; default: 32 MiB
 * @param undo takes what is to be done at the end
 */
export async function prepareGround(
  {
    agent,
    folder,
    steady,
    seconds,
    bytes = 2 ** 25,
  }: Pick<Ground, 'agent' | 'folder' | 'steady' | 'seconds'> & { readonly bytes?: number },
  undo: (end: () => unknown) => void,
): Promise<Ground> {
  const service = await startNumberedService()
  undo(() => service[Symbol.asyncDispose]())
  const { call } = await steady.client()
  const settings = { session_record: true }
  await call(operations.namespaces.update, { params: { tenant: steady.tenant }, body: { settings } })
  const { body: tunnel } = await call(operations.tunnels.create, {
    params: { uid: agent.device.uid },
    body: { host: '127.0.0.1', port: service.port, ttl: -1 },
  })
  const file = join(folder, 'file')
  const piece = 16 * 1024 * 1024
  for (let written = 0; written < bytes; written += piece) {
    await writeFile(file, randomBytes(Math.min(piece, bytes - written)), { flag: 'a' })
  }
  const kilobitsPerSecond = Math.ceil((bytes * 8) / 1_000 / seconds)
  const { full_address } = tunnel
  const at = { port: service.port, tunnel: full_address }
  return { agent, folder, steady, seconds, file, kilobitsPerSecond, service: at }
}

export function laneThrough(ground: Ground, name: string, node: Server): Lane {
  return { ...ground, name, node, target: { ...ground.agent.target, port: node.ssh.port } }
}
