// Builds the install command. The choices are kept in the URL, so that it can be shared.
import { useHistory, useLocation } from '@docusaurus/router'
import useIsBrowser from '@docusaurus/useIsBrowser'
import CodeBlock from '@theme/CodeBlock'
import type { ReactElement } from 'react'

interface Choice {
  readonly server: string
  readonly tenant: string
  readonly hostname: string
  readonly pin: string
  readonly method: 'automatic' | 'systemd' | 'openrc' | 'foreground'
  readonly rights: 'sudo' | 'none'
}

const METHODS = ['automatic', 'systemd', 'openrc', 'foreground'] as const
const NOTHING: Choice = {
  server: 'https://bowline.example.com',
  tenant: '00000000-0000-4000-8000-000000000000',
  hostname: '',
  pin: '',
  method: 'automatic',
  rights: 'sudo',
}

/** Quotes a value as one word of sh. */
const word = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`

/** The command for a choice. */
export function installCommand({ server, tenant, hostname, pin, method, rights }: Choice): string {
  const query = new URLSearchParams({ tenant_id: tenant, ...(hostname ? { preferred_hostname: hostname } : {}) })
  const curl = pin ? `curl -fsSLk --pinnedpubkey ${word(pin)}` : 'curl -fsSL'
  // Do not follow a redirect to an unencrypted protocol.
  const only = server.startsWith('https:') ? " --proto '=https'" : ''
  const script = `${curl}${only} ${word(`${server.replace(/\/$/, '')}/install.sh?${query}`)}`
  const how = method === 'automatic' ? '' : `INSTALL_METHOD=${method} `
  return `${script} | ${rights === 'sudo' ? 'sudo ' : ''}${how}sh`
}

export function InstallCommand(): ReactElement {
  const { search, pathname } = useLocation()
  const history = useHistory()
  // The page was rendered without a choice at build time: the first client render must match.
  const choice = fromAddress(useIsBrowser() ? search : '')
  const choose = (changed: Partial<Choice>): void => {
    const next = { ...choice, ...changed }
    const differing = Object.entries(next).filter(([name, value]) => value !== NOTHING[name as keyof Choice])
    history.replace(`${pathname}?${new URLSearchParams(differing)}`)
  }
  const text = (name: 'server' | 'tenant' | 'hostname' | 'pin', label: string): ReactElement => (
    <label>
      <span>{label}</span>
      <input value={choice[name]} autoComplete="off" onChange={({ target }) => choose({ [name]: target.value })} />
    </label>
  )
  return (
    <div className="install-command">
      <div className="install-command-fields">
        {text('server', 'Address of the server')}
        {text('tenant', 'Namespace (tenant id)')}
        {text('hostname', 'Device name, if not its own')}
        {text('pin', 'Key of a self-signed server')}
        <label>
          <span>Rights</span>
          <select
            value={choice.rights}
            onChange={({ target }) => choose({ rights: target.value === 'none' ? 'none' : 'sudo' })}
          >
            <option value="sudo">with sudo: everybody’s accounts</option>
            <option value="none">without: your account only</option>
          </select>
        </label>
        <label>
          <span>Runs as</span>
          <select
            value={choice.method}
            onChange={({ target }) => choose({ method: METHODS.find((one) => one === target.value) ?? 'automatic' })}
          >
            {METHODS.map((method) => (
              <option key={method} value={method}>
                {method}
              </option>
            ))}
          </select>
        </label>
      </div>
      <CodeBlock language="bash">{installCommand(choice)}</CodeBlock>
    </div>
  )
}

function fromAddress(search: string): Choice {
  const query = new URLSearchParams(search)
  const text = (name: 'server' | 'tenant' | 'hostname' | 'pin'): string => query.get(name) ?? NOTHING[name]
  return {
    server: text('server'),
    tenant: text('tenant'),
    hostname: text('hostname'),
    pin: text('pin'),
    method: METHODS.find((one) => one === query.get('method')) ?? 'automatic',
    rights: query.get('rights') === 'none' ? 'none' : 'sudo',
  }
}
