import { describe, expect, it } from 'vitest'
import { ConfigError, SETTINGS, type SettingName, nearestSetting, parseSettings } from './config.ts'

/** The problems of an environment, one sentence each. */
function problemsOf(program: 'server' | 'agent', env: Record<string, string>): readonly string[] {
  try {
    parseSettings(program, env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}
const agent = { BOWLINE_SERVER_ADDRESS: 'https://ssh.example.org', BOWLINE_TENANT_ID: '1'.repeat(36) }

describe('the settings of the server', () => {
  it('applies safe defaults', () => {
    expect(parseSettings('server', { PATH: '/bin' })).toMatchObject({
      BOWLINE_HOST: '127.0.0.1',
      BOWLINE_HTTP_PORT: 8080,
      BOWLINE_SSH_PORT: 2222,
      BOWLINE_EDITION: 'community',
      BOWLINE_TRUSTED_PROXIES: [],
      BOWLINE_METRICS_SOURCES: [],
      BOWLINE_ALLOWED_HOSTS: [],
      BOWLINE_MAXIMUM_ACCOUNT_LOCKOUT: 60,
      BOWLINE_DATABASE_URL: undefined,
      BOWLINE_SECRET_KEY: undefined,
      BOWLINE_LOG_LEVEL: 'info',
    })
  })

  it('treats an empty variable as unset', () => {
    const settings = parseSettings('server', { BOWLINE_HTTP_PORT: '', BOWLINE_DOMAIN: '', BOWLINE_TRUSTED_PROXIES: '' })
    expect(settings).toMatchObject({ BOWLINE_HTTP_PORT: 8080, BOWLINE_DOMAIN: undefined, BOWLINE_TRUSTED_PROXIES: [] })
  })

  it('splits lists at commas', () => {
    const { BOWLINE_TRUSTED_PROXIES: list } = parseSettings('server', {
      BOWLINE_TRUSTED_PROXIES: ' 10.0.0.0/8, ::1 ,,',
    })
    expect(list).toEqual(['10.0.0.0/8', '::1'])
  })

  it('ignores settings of the agent: one file may configure both', () => {
    const settings = parseSettings('server', { ...agent, BOWLINE_KEEPALIVE_INTERVAL: 'nonsense' })
    expect(settings).not.toHaveProperty('BOWLINE_SERVER_ADDRESS')
  })

  it.each([
    ['BOWLINE_HTTP_PORT', '65536', 'must be a port number, 0 to 65535'],
    ['BOWLINE_HTTP_PORT', '-1', 'must be a port number, 0 to 65535'],
    ['BOWLINE_SSH_PORT', '22x', 'must be a port number, 0 to 65535'],
    ['BOWLINE_EDITION', 'gold', 'Invalid option: expected one of "community"|"enterprise"|"cloud"'],
    ['BOWLINE_MAXIMUM_ACCOUNT_LOCKOUT', '-1', 'must be a whole number from 0 to 1440'],
    ['BOWLINE_MAXIMUM_ACCOUNT_LOCKOUT', '1.5', 'must be a whole number from 0 to 1440'],
    ['BOWLINE_DATABASE_URL', 'mysql://x', 'must start with postgres:// or postgresql://'],
    ['BOWLINE_NODE_SECRET', 'short', 'must have at least 16 characters'],
  ])('rejects %s=%s with the rule', (name, value, rule) => {
    expect(problemsOf('server', { [name]: value })).toEqual([`${name} ${rule}.`])
  })

  it('reports all invalid variables at once', () => {
    const problems = problemsOf('server', { BOWLINE_HTTP_PORT: 'x', BOWLINE_SSH_PORT: 'y', BOWLINE_TYPO: '1' })
    expect(problems).toHaveLength(3)
    expect(new ConfigError(problems).message).toBe(problems.join('\n'))
  })

  it.each(Object.entries(SETTINGS).flatMap(([name, spec]) => ('secret' in spec ? [name] : [])))(
    'does not echo the value of %s in errors',
    (name) => {
      for (const program of ['server', 'agent'] as const) {
        expect(problemsOf(program, { ...agent, [name]: 'Tr0ub4dor' }).join('\n')).not.toContain('Tr0ub4dor')
      }
    },
  )
})

describe('an unknown setting', () => {
  it.each<[string, SettingName]>([
    ['BOWLINE_HTTP_PROT', 'BOWLINE_HTTP_PORT'],
    ['BOWLINE_PORT', 'BOWLINE_SSH_PORT'],
    ['BOWLINE_DATABASE', 'BOWLINE_DATABASE_URL'],
    ['BOWLINE_TRUSTED_PROXY', 'BOWLINE_TRUSTED_PROXIES'],
    ['BOWLINE_LOGLEVEL', 'BOWLINE_LOG_LEVEL'],
  ])('rejects %s and suggests %s', (name, nearest) => {
    expect(nearestSetting(name)).toBe(nearest)
    const sentence = `${name} is not a setting; the nearest one is ${nearest}.`
    expect(problemsOf('server', { [name]: '1' })).toEqual([sentence])
    expect(problemsOf('agent', { ...agent, [name]: '1' })).toEqual([sentence])
  })

  it('ignores variables without our prefix', () => {
    expect(problemsOf('server', { bowline_host: 'x', BOWLINEHOST: 'x', MY_BOWLINE_HOST: 'x' })).toEqual([])
  })
})

describe('the settings of the agent', () => {
  it('requires a server, and no namespace', () => {
    const problems = problemsOf('agent', {})
    expect(problems.map((problem) => problem.split(' is required')[0])).toEqual(['BOWLINE_SERVER_ADDRESS'])
  })

  it('strips the trailing slash of the address', () => {
    const env = { ...agent, BOWLINE_SERVER_ADDRESS: 'http://127.0.0.1:8080/' }
    expect(parseSettings('agent', env).BOWLINE_SERVER_ADDRESS).toBe('http://127.0.0.1:8080')
  })

  it.each(['ftp://x', 'ssh.example.org', 'https://', 'https://x/path', 'https://x y'])(
    'rejects the address %s',
    (value) => {
      expect(problemsOf('agent', { ...agent, BOWLINE_SERVER_ADDRESS: value })).toHaveLength(1)
    },
  )

  it.each(['secret', 'sha256/AAAA', `sha256//${'A'.repeat(42)}=`])('rejects the pin %s', (value) => {
    expect(problemsOf('agent', { ...agent, BOWLINE_SERVER_PIN: value })).toHaveLength(1)
  })

  it('rejects a password that is not hashed', () => {
    expect(problemsOf('agent', { ...agent, BOWLINE_SINGLE_USER_PASSWORD: 'plain' })).toHaveLength(1)
    expect(problemsOf('agent', { ...agent, BOWLINE_SINGLE_USER_PASSWORD: '$6$salt$hash' })).toEqual([])
  })
})

describe('the registry', () => {
  it.each(Object.entries(SETTINGS))('describes %s in a sentence', (name, spec) => {
    expect(name).toMatch(/^BOWLINE_[A-Z0-9_]+$/)
    expect(spec.description).toMatch(/^[A-Z0-9a-z].*\.$/)
    expect(spec.programs.length).toBeGreaterThan(0)
  })
})
