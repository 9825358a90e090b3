// A machine with a service manager next to a server, with the agent installed by the console's install command.
import { installCommand } from '../../../apps/console/src/features/devices/add/commands.ts'
import { buildStale, OWN_AGENT } from '../../../scripts/build.ts'
import { type BootedMachine, type Boot, bootMachine, USER } from './booted-machine.ts'
import { type Server, startServer } from '../server.ts'
import { type SshResult, ssh } from '../ssh.ts'
import { until } from '../wait.ts'

export interface ServicedMachine {
  readonly server: Server
  readonly machine: BootedMachine
  /**
   * Runs a line on the machine.
   * @returns its output without the trailing newline
   * @throws {Error} with its output when it fails, or writes to stderr where the service manager is otherwise silent
   */
  run(line: string): string
  /** Runs the console's install command. @returns its output */
  install(): string
  /** Waits until the running agent is connected. */
  linked(): Promise<unknown>
  /** Runs a command as the machine's user. @param device `namespace.name` */
  login(device: { readonly namespace: string; readonly name: string }, command: string): Promise<SshResult>
  remove(): Promise<void>
}

/** @param name of the machine @param env settings of the server */
export async function bootServicedMachine(
  boot: Boot,
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServicedMachine> {
  await using undo = new AsyncDisposableStack()
  await buildStale([OWN_AGENT])
  const server = await startServer({ env })
  undo.defer(() => server.remove())
  const machine = await bootMachine(boot, name)
  undo.defer(() => machine.remove())
  const run = (line: string): string => {
    const { status, stdout, stderr } = machine.run(line)
    if (status === 0 && (stderr === '' || boot.complainsAlways)) return stdout.trimEnd()
    throw new Error(`'${line}' ended with ${status}: ${stdout}${stderr}`)
  }
  const both = undo.move()
  return {
    server,
    machine,
    run,
    install: () => run(installCommand(server.origin, server.tenant, server.pin)),
    linked: () => until('the agent is linked', () => machine.run('bowline agent status').status === 0),
    login: (device, command) =>
      ssh({ ...server.ssh, login: `${USER.name}@${device.namespace}.${device.name}`, password: USER.password }, [
        command,
      ]),
    remove: () => both.disposeAsync(),
  }
}
