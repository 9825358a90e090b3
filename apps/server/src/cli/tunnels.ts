// `bowline tunnel …`: tunnels to devices of a namespace.
import { readFile } from 'node:fs/promises'
import { ConfigError } from '@bowline/contract/config'
import { DeviceUid, NEVER } from '@bowline/contract/schemas/common'
import { type Tunnel, TunnelBody, TunnelDoor, TunnelProtocol } from '@bowline/contract/schemas/tunnel'
import type { Command } from 'commander'
import { createPasswordHasher } from '../auth/password-hashes/passwords.ts'
import { loadInstanceKeys } from '../instance/keys.ts'
import { type TunnelDeps, create, list, remove } from '../tunnels/service.ts'
import { relayTunnel } from './client/tunnel-relay.ts'
import { type Instance, onInstance, originOfSettings } from './instance.ts'
import { type Format, type Terminal, show, table, secretOrStdin } from './terminal.ts'

interface ConnectOptions {
  readonly listen: string
  readonly ca?: string
  readonly name?: string
  readonly pin?: string
  readonly via?: string
}

interface Options extends Format {
  readonly ttl: string
  readonly protocol: string
  readonly door?: string
  readonly password?: string
}

const PAGE = { page: 1, per_page: 100 }

export function addTunnelCommands(program: Command, terminal: Terminal): void {
  const tunnel = program.command('tunnel').description('Tunnels to devices of a namespace')
  addConnectCommand(tunnel, terminal)

  tunnel
    .command('list <namespace> <device>')
    .description('List the tunnels of a device, which its uid names')
    .option('--json', 'print JSON')
    .action((name: string, uid: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const ctx = instance.contextOf(await instance.tenantOf(name))
        const { items } = await list(await depsOf(instance), ctx, deviceOf(uid), PAGE)
        const rows = items.map((one) => [whereOf(one), `${one.host} ${one.port}`, one.door, endOf(one)])
        show(terminal, format, items, table(['ADDRESS', 'TARGET', 'DOOR', 'ENDS'], rows))
      }),
    )

  tunnel
    .command('create <namespace> <device> <host> <port>')
    .description('Open a tunnel to an address as the device sees it; the same host and port keep their address')
    .option('--ttl <seconds>', 'end it after so long without an access; -1: never', '28800')
    .option('--protocol <protocol>', 'http, or tcp for any protocol over TLS', 'http')
    .option('--door <door>', 'who may enter: none, namespace (default of http) or password')
    .option('--password <password>', 'of the door password; -: read from stdin')
    .option('--json', 'print JSON')
    .action(
      (
        name: string,
        uid: string,
        host: string,
        port: string,
        { ttl, protocol, door: asked, password, ...format }: Options,
      ) =>
        onInstance(terminal, async (instance) => {
          const ctx = instance.contextOf(await instance.tenantOf(name))
          // Connections of TCP tunnels have no requests that a door could look at.
          const door = asked ?? (protocol === 'tcp' ? 'none' : 'namespace')
          const typed = {
            host,
            port: Number(port),
            ttl: Number(ttl),
            protocol: TunnelProtocol.safeParse(protocol).data ?? protocol,
            door: TunnelDoor.safeParse(door).data ?? door,
            ...(password === undefined ? {} : { password: await secretOrStdin(terminal, password, 'Password') }),
          }
          const body = TunnelBody.safeParse(typed)
          if (!body.success) {
            throw new ConfigError(body.error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`))
          }
          const made = await create(await depsOf(instance), ctx, deviceOf(uid), body.data)
          show(terminal, format, made, [whereOf(made)])
        }),
    )

  tunnel
    .command('remove <namespace> <device> <address>')
    .description('Close a tunnel; requests under way end within seconds')
    .option('--json', 'print JSON')
    .action((name: string, uid: string, address: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const ctx = instance.contextOf(await instance.tenantOf(name))
        await remove(await depsOf(instance), ctx, deviceOf(uid), address)
        show(terminal, format, { address }, [`Removed ${address}.`])
      }),
    )
}

/** `bowline tunnel connect`: runs anywhere and needs no sign-in, since whoever knows the address may connect. */
function addConnectCommand(tunnel: Command, terminal: Terminal): void {
  tunnel
    .command('connect <tunnel>')
    .description('Listen on a local port whose connections reach the service of a TCP tunnel, with TLS added')
    .option('--listen <port>', 'port of 127.0.0.1; 0: any free one', '0')
    .option('--ca <file>', 'PEM certificates of the authority that signed the certificate of the service')
    .option('--name <name>', 'name in the certificate of the service, if it is not that of the tunnel')
    .option('--pin <pin>', 'public key of the service, sha256//…, instead of a certificate that is trusted')
    .option('--via <host>', 'connect to this host instead of the name of the tunnel')
    .action(async (address: string, { listen, ca, ...options }: ConnectOptions) => {
      if (!/^\d{1,5}$/.test(listen) || Number(listen) > 65_535) {
        throw new ConfigError(['The port must be 0 to 65535.'])
      }
      const stopped = new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve))
      const relay = await relayTunnel({
        ...options,
        tunnel: address,
        port: Number(listen),
        ...(ca === undefined ? {} : { ca: await readFile(ca, 'utf8') }),
        failed: (message) => terminal.complain(`bowline: ${message}`),
      })
      terminal.print(`Listening on 127.0.0.1:${relay.port}.`)
      await stopped
      relay.close()
    })
}

async function depsOf(instance: Instance): Promise<TunnelDeps> {
  const { settings, system } = instance
  const keys = await loadInstanceKeys(system, await instance.secretKey())
  return {
    secret: keys.derive('tunnel addresses'),
    domain: settings.BOWLINE_TUNNELS_DOMAIN ?? '',
    origin: () => originOfSettings(settings),
    tlsPort: () => settings.BOWLINE_TUNNELS_TLS_PORT,
    passwords: await createPasswordHasher(),
    // The server process looks at its tunnels every few seconds.
    traffic: { changed: () => undefined, requests: () => [] },
  }
}

/** @throws {ConfigError} when it is none */
function deviceOf(typed: string): DeviceUid {
  const uid = DeviceUid.safeParse(typed)
  if (!uid.success) throw new ConfigError(['The device must be its uid: 64 hex digits.'])
  return uid.data
}

function whereOf({ url, address }: Tunnel): string {
  return url || address
}

function endOf({ expires_in: end }: Tunnel): string {
  return end === NEVER ? 'never' : end
}
