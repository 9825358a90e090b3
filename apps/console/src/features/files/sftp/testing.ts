// For tests: OpenSSH's own file server, through a pipe.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { SftpClient } from './sftp-client.ts'
import { Interrupted } from './sftp-error.ts'

const PROGRAM = '/usr/lib/openssh/sftp-server'

export interface RealServer {
  /** Where its session begins. */
  readonly folder: string
  readonly client: SftpClient
  /** Requests so far, by the type of their packet. */
  readonly asked: number[]
  kill(): void
}

/** @param options of the program, for example `-R`, which refuses every change */
export async function realServer(...options: readonly string[]): Promise<RealServer> {
  const folder = await mkdtemp(join(tmpdir(), 'console-files-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const program = spawn(PROGRAM, [...options], { cwd: folder })
  onTestFinished(() => void program.kill())
  const asked: number[] = []
  const client = new SftpClient((bytes) => {
    asked.push(bytes[4] ?? 0)
    program.stdin.write(Buffer.from(bytes))
  })
  program.stdin.on('error', () => undefined)
  program.stdout.on('data', (data: Buffer) => client.receive(data))
  program.on('close', () => client.end(new Interrupted('the server has ended')))
  await client.start()
  return { folder, client, asked, kill: () => void program.kill() }
}

export const NEVER = new AbortController().signal

/** Bytes that repeat nowhere near. */
export function sample(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32BE(at ^ 0x5bd1_e995, at)
  return bytes
}
