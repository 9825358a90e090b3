// `bowline connector …`: container engines that the server dials for a namespace.
import { readFile } from 'node:fs/promises'
import { ConfigError } from '@bowline/contract/config'
import { type Connector, ConnectorBody } from '@bowline/contract/schemas/connector'
import type { Command } from 'commander'
import { egressRules } from '../compose/budgets.ts'
import { type ConnectorDeps, create, list, remove, update } from '../connectors/service.ts'
import { type Instance, onInstance } from './instance.ts'
import { type Format, type Terminal, show, table } from './terminal.ts'

interface AddOptions extends Format {
  readonly device?: string
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly disabled?: true
}

const PAGE = { page: 1, per_page: 100 }

export function addConnectorCommands(program: Command, terminal: Terminal): void {
  const connector = program.command('connector').description('Container engines that the server dials for a namespace')

  connector
    .command('list <namespace>')
    .description('List the connectors of a namespace, with their state')
    .option('--json', 'print JSON')
    .action((name: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const items = await all(instance, name)
        const rows = items.map((one) => [one.uid, engineOf(one), yesOrNo(one.secure), stateOf(one)])
        show(terminal, format, items, table(['UID', 'ENGINE', 'TLS', 'STATE'], rows))
      }),
    )

  connector
    .command('add <namespace> [address] [port]')
    .description('Add a container engine, by its address or by a device; the server dials it within seconds')
    .option('--device <uid>', 'the device whose agent offers its engine (BOWLINE_CONTAINERS), instead of an address')
    .option('--ca <file>', 'PEM file of the CA that signs the certificate of the engine; means TLS')
    .option('--cert <file>', 'PEM file of the client certificate')
    .option('--key <file>', 'PEM file of its private key')
    .option('--disabled', 'save it without dialling it')
    .option('--json', 'print JSON')
    .action((name: string, address: string | undefined, port: string | undefined, options: AddOptions) =>
      onInstance(terminal, async (instance) => {
        const tls = await readTls(options)
        const { device } = options
        const at = { address, port: port === undefined ? undefined : Number(port) }
        const typed = { enable: options.disabled !== true, device, ...at, secure: tls !== null, tls }
        const body = ConnectorBody.safeParse(typed)
        if (!body.success) {
          throw new ConfigError(body.error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`))
        }
        const before = new Set((await all(instance, name)).map(({ uid }) => uid))
        const ctx = instance.contextOf(await instance.tenantOf(name))
        await create(await depsOf(instance), ctx, body.data)
        const made = (await all(instance, name)).find(({ uid }) => !before.has(uid))
        show(terminal, options, made ?? null, [made?.uid ?? ''])
      }),
    )

  for (const [word, enable, done] of [
    ['enable', true, 'Enabled'],
    ['disable', false, 'Disabled'],
  ] as const) {
    connector
      .command(`${word} <namespace> <uid>`)
      .description(
        enable ? 'Dial a container engine again' : 'Stop dialling a container engine; its containers go offline',
      )
      .option('--json', 'print JSON')
      .action((name: string, uid: string, format: Format) =>
        onInstance(terminal, async (instance) => {
          const ctx = instance.contextOf(await instance.tenantOf(name))
          await update(await depsOf(instance), ctx, checked(uid), { enable })
          show(terminal, format, { uid, enable }, [`${done} ${uid}.`])
        }),
      )
  }

  connector
    .command('remove <namespace> <uid>')
    .description('Remove a connector; its containers go offline, and their devices stay')
    .option('--json', 'print JSON')
    .action((name: string, uid: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const ctx = instance.contextOf(await instance.tenantOf(name))
        await remove(UNDIALLED, ctx, checked(uid))
        show(terminal, format, { uid }, [`Removed ${uid}.`])
      }),
    )
}

/** The server process looks for changes every few seconds. */
const UNDIALLED = { dialing: { changed: () => Promise.resolve() }, links: { find: () => undefined } }

async function depsOf(instance: Instance): Promise<ConnectorDeps> {
  const { ids, settings } = instance
  return { ids, secretKey: await instance.secretKey(), egress: egressRules(settings), ...UNDIALLED }
}

async function all(instance: Instance, namespace: string): Promise<readonly Connector[]> {
  const ctx = instance.contextOf(await instance.tenantOf(namespace))
  return (await list(ctx, { ...PAGE, enable: undefined })).items
}

/** @throws {ConfigError} when only some of the files are named, or one cannot be read */
async function readTls({ ca, cert, key }: AddOptions) {
  if (ca === undefined && cert === undefined && key === undefined) return null
  if (ca === undefined || cert === undefined || key === undefined) {
    throw new ConfigError(['TLS needs all of --ca, --cert and --key.'])
  }
  const read = async (file: string): Promise<string> => {
    try {
      return await readFile(file, 'utf8')
    } catch {
      throw new ConfigError([`${file} cannot be read.`])
    }
  }
  return { ca: await read(ca), cert: await read(cert), key: await read(key) }
}

/** @throws {ConfigError} when it is none */
function checked(uid: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(uid)) {
    throw new ConfigError(['The connector must be its uid, as `bowline connector list` shows it.'])
  }
  return uid
}

const engineOf = ({ address, port, device_name: device }: Connector): string =>
  device === null ? `${address}:${port}` : `on the device ${device}`

const yesOrNo = (value: boolean): string => (value ? 'yes' : 'no')

function stateOf({ enable, status }: Connector): string {
  if (!enable) return 'off'
  return status.message === '' ? status.state : `${status.state}: ${status.message}`
}
