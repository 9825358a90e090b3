// The command lines of each way to install the agent. Pure functions; `e2e/service` and `e2e/devices` run what they return.
import { installCommand, shellQuote } from './commands.ts'

/** What a command is made for. */
export interface InstallTarget {
  /** Of this page. */
  readonly origin: string
  readonly tenant: string
  /** `sha256//…` of a self-signed certificate's key; '' when systems trust the certificate. */
  readonly pin: string
  /** An install key; '' for none: devices wait until somebody accepts them. */
  readonly key: string
}

/** Image of the container in which the agent runs, with what it needs on top. */
const IMAGE = 'docker.io/library/debian:13'
const NEEDED = 'curl libatomic1'
/** There once the agent is a service: a tool that runs the command again installs nothing twice. */
const INSTALLED = '/etc/bowline/agent.env'

/** Fetches the script and runs it: as a service where it is root and there is a service manager, else in the foreground. */
export function scriptCommand({ origin, tenant, pin, key }: InstallTarget, shell = 'sh'): string {
  const command = installCommand(origin, tenant, pin).replace(/ sh$/, ` ${shell}`)
  return key === '' ? command : `${command} -s -- --key ${shellQuote(key)}`
}

/** As {@link scriptCommand}, with the rights to make the agent a service. */
export function serviceCommand(target: InstallTarget): string {
  return scriptCommand(target, 'sudo sh')
}

/**
 * Runs the agent in a container of its own. Its key is in a volume, and its identity is not the MAC address, which changes
 * with each container: a new container is the same device.
 */
export function containerCommand(engine: 'podman' | 'docker', target: InstallTarget): string {
  const install = `dpkg-query -W ${NEEDED} >/dev/null 2>&1 || { apt-get update && apt-get install -y ${NEEDED}; }`
  const inside = `${install}; ${scriptCommand(target)}`
  return [
    `${engine} run -d --name bowline --restart unless-stopped`,
    '-v bowline:/var/lib/bowline-agent -h "$(hostname)-box" -e PREFERRED_IDENTITY="$(hostname)-box"',
    `${IMAGE} sh -c ${shellQuote(inside)}`,
  ].join(' \\\n  ')
}

/** User data of cloud-init, for images and machines of clouds: the command runs once, at the first boot. */
export function cloudInit(target: InstallTarget): string {
  const packages = NEEDED.split(' ').map((name) => `  - ${name}`)
  return ['#cloud-config', 'packages:', ...packages, 'runcmd:', `  - ${JSON.stringify(scriptCommand(target))}`].join(
    '\n',
  )
}

/** Installs it on all hosts of an inventory of Ansible that do not have it. */
export function ansibleCommand(target: InstallTarget): string {
  return `ansible all -b -m shell -a ${shellQuote(`creates=${INSTALLED} ${scriptCommand(target)}`)}`
}

/** A script for tools that run one as root on many machines, again and again. */
export function rolloutScript(target: InstallTarget): string {
  return `#!/bin/sh\n[ -e ${INSTALLED} ] || ${scriptCommand(target)}`
}
