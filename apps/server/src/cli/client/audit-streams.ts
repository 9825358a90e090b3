// `bowline audit-streams …`: streams of the namespace's audit log, for somebody who is signed in at a server.
import { readFile } from 'node:fs/promises'
import { ApiError } from '@bowline/contract/client'
import { ConfigError } from '@bowline/contract/config'
import { operations } from '@bowline/contract/operations'
import { type AuditStream, AuditStreamBody, STREAM_FORMATS } from '@bowline/contract/operations/fleet/audit-streams'
import type { Command } from 'commander'
import { type Format, type Terminal, show, table } from '../terminal.ts'
import { type ServerClient, signedIn } from './client.ts'

const { auditStreams } = operations
const HEADINGS = ['NAME', 'RECEIVER', 'FORMAT', 'ABOUT', 'BEHIND', 'STATE', 'ANSWER']

interface AddOptions extends Format {
  readonly format: string
  readonly authorizationFile?: string
  readonly about: readonly string[]
  readonly recordings?: boolean
}

const collect = (one: string, all: readonly string[]): string[] => [...all, one]

export function addAuditStreamCommands(program: Command, terminal: Terminal): void {
  const streams = program
    .command('audit-streams')
    .description('Streams of the audit log of your namespace, at the server that you are signed in to')

  streams
    .command('list')
    .description('List the streams, with how many entries of the log each is behind')
    .option('--json', 'print JSON')
    .action(async (format: Format) => {
      const { call } = await signedIn(terminal)
      const { body } = await call(auditStreams.list, {})
      show(terminal, format, body, table(HEADINGS, body.map(cellsOf)))
    })

  streams
    .command('add <name> <url>')
    .description('Add a stream; the secret that signs its requests is shown this once')
    .option('--format <format>', `one of ${STREAM_FORMATS.join(', ')}`, 'ndjson')
    .option('--authorization-file <file>', 'file with the value of the header Authorization')
    .option('--about <noun>', 'entries about this, such as device; may be repeated', collect, [])
    .option('--recordings', 'also an entry of each recording when it is complete')
    .option('--json', 'print JSON')
    .action(async (name: string, url: string, options: AddOptions) => {
      const { json, format, authorizationFile: file, about, recordings = false } = options
      const authorization = file === undefined ? null : (await readFile(file, 'utf8')).trim()
      const fields = AuditStreamBody.safeParse({ name, url, format, authorization, nouns: about, recordings })
      if (!fields.success)
        throw new ConfigError(fields.error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`))
      const { call } = await signedIn(terminal)
      const { body } = await call(auditStreams.create, { body: fields.data }).catch(explain)
      const lines = [`Added the audit stream ${body.name}.`, `Secret: ${body.secret}`]
      show(terminal, json ? { json } : {}, body, lines)
    })

  for (const [verb, active, done] of [
    ['pause', false, 'Paused'],
    ['resume', true, 'Resumed'],
  ] as const) {
    streams
      .command(`${verb} <name>`)
      .description(active ? 'Go on where a stream stopped' : 'Pause a stream; its place in the log stays')
      .option('--json', 'print JSON')
      .action(async (name: string, format: Format) => {
        const client = await signedIn(terminal)
        const { id } = await streamNamed(client, name)
        const { body } = await client.call(auditStreams.update, { params: { id }, body: { active } }).catch(explain)
        show(terminal, format, body, [`${done} the audit stream ${body.name}.`])
      })
  }

  streams
    .command('test <name>')
    .description('Send a test entry, and print what the receiver answers')
    .option('--json', 'print JSON')
    .action(async (name: string, format: Format) => {
      const client = await signedIn(terminal)
      const { id } = await streamNamed(client, name)
      const { body } = await client.call(auditStreams.test, { params: { id } })
      if (!body.arrived) throw new Error(`The receiver did not accept the test entry. ${body.answer}`)
      show(terminal, format, body, [`The receiver accepted the test entry. ${body.answer}`])
    })

  streams
    .command('remove <name>')
    .description('Remove a stream')
    .option('--json', 'print JSON')
    .action(async (name: string, format: Format) => {
      const client = await signedIn(terminal)
      const { id } = await streamNamed(client, name)
      await client.call(auditStreams.remove, { params: { id } })
      show(terminal, format, { id }, [`Removed the audit stream ${name}.`])
    })
}

/** @throws {Error} when none, or more than one, has the name */
async function streamNamed({ call }: ServerClient, name: string): Promise<AuditStream> {
  const { body } = await call(auditStreams.list, {})
  const found = body.filter((stream) => stream.name === name || stream.id === name)
  const [stream] = found
  if (!stream) throw new Error(`The namespace has no audit stream named ${name}.`)
  if (found.length > 1)
    throw new Error(`Several audit streams are named ${name}: use the id, as list --json prints it.`)
  return stream
}

function cellsOf({ name, host, format, nouns, behind, active, failing_since, answer }: AuditStream): string[] {
  const state = active ? (failing_since === null ? 'on' : 'failing') : 'paused'
  return [name, host, format, nouns.join(',') || 'all', String(behind), state, answer]
}

/** @throws {Error} always: what the server answered, in words for a command line */
function explain(error: unknown): never {
  if (error instanceof ApiError && error.code === 'FRESH_PROOF_REQUIRED') {
    throw new Error(
      'This namespace asks for your second factor before audit streams change: change them in the console.',
    )
  }
  throw error
}
