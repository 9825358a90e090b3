// `bowline snippets …`: snippets that the namespace shares, for somebody who is signed in at a server.
import { ApiError } from '@bowline/contract/client'
import { ConfigError } from '@bowline/contract/config'
import { operations } from '@bowline/contract/operations'
import type { SharedSnippet } from '@bowline/contract/operations/fleet/snippets'
import type { Command } from 'commander'
import { type Format, type Terminal, show, table } from '../terminal.ts'
import { type ServerClient, signedIn } from './client.ts'

const { snippets } = operations
const HEADINGS = ['NAME', 'DEVICES', 'CHANGED', 'BY', 'TEXT']

interface AddOptions extends Format {
  readonly text: string
  readonly tag: readonly string[]
}
interface UpdateOptions extends Format {
  readonly rename?: string
  readonly text?: string
  readonly tag: readonly string[]
  readonly allDevices?: boolean
}

const collect = (one: string, all: readonly string[]): string[] => [...all, one]
const TEXT = 'what is inserted; - reads it from the standard input'

export function addSnippetCommands(program: Command, terminal: Terminal): void {
  const group = program
    .command('snippets')
    .description('Snippets that your namespace shares, at the server that you are signed in to')
  const command = (name: string, description: string): Command =>
    group.command(name).description(description).option('--json', 'print JSON')

  command('list', 'List the snippets').action(async (format: Format) => {
    const { call } = await signedIn(terminal)
    const { body } = await call(snippets.list, {})
    show(terminal, format, body, table(HEADINGS, body.map(cellsOf)))
  })

  command('show <name>', 'Print the text of a snippet').action(async (name: string, format: Format) => {
    const snippet = await snippetNamed(await signedIn(terminal), name)
    show(terminal, format, snippet, [snippet.text])
  })

  command('add <name>', 'Share a snippet')
    .requiredOption('--text <text>', TEXT)
    .option('--tag <tag>', 'on devices with this tag only; may be repeated', collect, [])
    .action(async (name: string, { text, tag, json }: AddOptions) => {
      const { call } = await signedIn(terminal)
      const body = { name, text: await textOf(terminal, text), tags: [...tag] }
      const { body: made } = await call(snippets.create, { body }).catch(explain)
      show(terminal, json ? { json } : {}, made, [`Shared the snippet ${made.name}.`])
    })

  command('update <name>', 'Change a snippet')
    .option('--rename <name>', 'the new name')
    .option('--text <text>', TEXT)
    .option('--tag <tag>', 'on devices with this tag only; may be repeated', collect, [])
    .option('--all-devices', 'on all devices')
    .action(async (name: string, { rename, text, tag, allDevices = false, json }: UpdateOptions) => {
      if (allDevices && tag.length > 0) throw new ConfigError(['--tag and --all-devices exclude each other.'])
      const change = {
        ...(rename === undefined ? {} : { name: rename }),
        ...(text === undefined ? {} : { text: await textOf(terminal, text) }),
        ...(allDevices || tag.length > 0 ? { tags: [...tag] } : {}),
      }
      if (Object.keys(change).length === 0) {
        throw new ConfigError(['One of --rename, --text, --tag and --all-devices is needed.'])
      }
      const client = await signedIn(terminal)
      const { id } = await snippetNamed(client, name)
      const { body } = await client.call(snippets.update, { params: { id }, body: change }).catch(explain)
      show(terminal, json ? { json } : {}, body, [`Changed the snippet ${body.name}.`])
    })

  command('remove <name>', 'Delete a snippet').action(async (name: string, format: Format) => {
    const client = await signedIn(terminal)
    const { id } = await snippetNamed(client, name)
    await client.call(snippets.remove, { params: { id } })
    show(terminal, format, { id }, [`Deleted the snippet ${name}.`])
  })
}

/** The end of the last line is no part of it: editors write one, and a shell would take it for Enter. */
async function textOf(terminal: Terminal, given: string): Promise<string> {
  const text = given === '-' ? await terminal.read() : given
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '')
}

/** @throws {Error} when none has the name */
async function snippetNamed({ call }: ServerClient, name: string): Promise<SharedSnippet> {
  const { body } = await call(snippets.list, {})
  const found = body.find((one) => one.name === name) ?? body.find(({ id }) => id === name)
  if (!found) throw new Error(`The namespace has no snippet named ${name}.`)
  return found
}

function cellsOf({ name, tags, changed_at, changed_by, text }: SharedSnippet): string[] {
  const [first = '', ...more] = text.split('\n')
  const shown = more.length === 0 ? first : `${first} … (${more.length + 1} lines)`
  return [name, tags.join(',') || 'all', changed_at, changed_by.name, shown]
}

/** @throws {Error} always: what the server answered, in words for a command line */
function explain(error: unknown): never {
  if (error instanceof ApiError && error.code === 'FRESH_PROOF_REQUIRED') {
    throw new Error('This namespace asks for your second factor before snippets change: change them in the console.')
  }
  throw error
}
