import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Account } from '../login/account.ts'
import { sessionEnvironment, systemDefaults, type EnvironmentInput } from './environment.ts'

const account: Account = { name: 'ann', uid: 1000, gid: 1000, groups: [1000], home: '/home/ann', shell: '/bin/zsh' }

function environment(input: Partial<EnvironmentInput> = {}): Record<string, string> {
  const given = { account, requested: [], client: { address: '203.0.113.5', port: 4711 }, defaults: { language: {} } }
  return Object.fromEntries(
    sessionEnvironment({ ...given, ...input }).map((line) => {
      const equals = line.indexOf('=')
      return [line.slice(0, equals), line.slice(equals + 1)]
    }),
  )
}

describe('the environment of a session', () => {
  test('derives the environment from the account and the connection', () => {
    expect(environment()).toEqual({
      USER: 'ann',
      LOGNAME: 'ann',
      HOME: '/home/ann',
      SHELL: '/bin/zsh',
      PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games',
      MAIL: '/var/mail/ann',
      LANG: 'C.UTF-8',
      SSH_CLIENT: '203.0.113.5 4711 22',
      SSH_CONNECTION: '203.0.113.5 4711 127.0.0.1 22',
    })
    expect(environment({ account: { ...account, uid: 0 } })['PATH']).toContain('/sbin')
  })

  test('contains the terminal and the original command', () => {
    const env = environment({ terminal: { path: '/dev/pts/7', term: 'tmux-256color' }, originalCommand: 'ls -l' })
    expect(env).toMatchObject({ SSH_TTY: '/dev/pts/7', TERM: 'tmux-256color', SSH_ORIGINAL_COMMAND: 'ls -l' })
  })

  test('sets TERM to the client’s terminal type, and omits an empty one', () => {
    const termOf = (term: string) => environment({ terminal: { path: '/dev/pts/7', term } })['TERM']
    expect(termOf('')).toBeUndefined()
    expect(termOf('x'.repeat(300))).toBe('x'.repeat(300))
    expect(termOf('my terminal/1')).toBe('my terminal/1')
    expect(termOf('a\nb')).toBeUndefined()
  })

  test('lets the client choose language and colours', () => {
    const requested = [
      ['LANG', 'de_DE.UTF-8'],
      ['LC_TIME', 'en_GB.UTF-8'],
      ['COLORTERM', 'truecolor'],
    ] as const
    expect(environment({ requested, defaults: { language: { LANG: 'fr_FR.UTF-8' } } })).toMatchObject({
      LANG: 'de_DE.UTF-8',
      LC_TIME: 'en_GB.UTF-8',
      COLORTERM: 'truecolor',
    })
  })

  test.each(['LD_PRELOAD', 'BASH_ENV', 'ENV', 'PATH', 'HOME', 'SHELL', 'LC_', 'XLANG', 'LANGUAGE', 'TZ', 'IFS'])(
    'does not accept %s from the client',
    (name) => {
      expect(environment({ requested: [[name, '/tmp/evil']] })).toEqual(environment())
    },
  )

  test('does not accept values with control characters', () => {
    for (const value of ['a\nb', 'a\0b', '\u001b[2J']) {
      expect(environment({ requested: [['LANG', value]] })['LANG']).toBe('C.UTF-8')
    }
  })

  test('omits the addresses when the gateway sends none', () => {
    const env = environment({ client: { address: 'a b; c', port: 1 } })
    expect(Object.keys(env).filter((name) => name.startsWith('SSH_'))).toEqual([])
  })

  test('prefers variables of the system’s session over the client’s, except for loaders and the connection', () => {
    const env = environment({
      requested: [['LANG', 'C']],
      system: [
        ['LANG', 'de_DE.UTF-8'],
        ['KRB5CCNAME', 'FILE:/tmp/krb5cc'],
        ['EMPTY', ''],
        ['LD_PRELOAD', '/tmp/evil.so'],
        ['GCONV_PATH', '/tmp'],
        ['SSH_CONNECTION', 'elsewhere'],
        ['BASH_FUNC_x%%', '() { :; }'],
      ],
    })
    expect(env).toMatchObject({ LANG: 'de_DE.UTF-8', KRB5CCNAME: 'FILE:/tmp/krb5cc', EMPTY: '' })
    expect(Object.keys(env)).not.toContain('BASH_FUNC_x%%')
    expect([env['LD_PRELOAD'], env['GCONV_PATH'], env['SSH_CONNECTION'] === 'elsewhere']).toEqual([
      undefined,
      undefined,
      false,
    ])
  })

  test('never contains duplicates, NULs or variables of the agent, whatever is requested', () => {
    const request = fc.tuple(fc.oneof(fc.string(), fc.constantFrom('LANG', 'TERM', 'LC_ALL', 'HOME')), fc.string())
    fc.assert(
      fc.property(fc.array(request), fc.string(), (requested, originalCommand) => {
        const input = { account, requested, originalCommand, client: { address: '::1', port: 1 } }
        const lines = sessionEnvironment({ ...input, defaults: { language: {} } })
        const names = lines.map((line) => line.split('=', 1)[0])
        expect(new Set(names).size).toBe(names.length)
        expect(lines.some((line) => line.includes('\0') || line.startsWith('BOWLINE'))).toBe(false)
        expect(lines).toContain('HOME=/home/ann')
      }),
    )
  })
})

describe('the defaults of the system', () => {
  test('reads the language from the first file that sets one', () => {
    expect(
      systemDefaults({ localeConf: undefined, defaultLocale: 'LANG="de_DE.UTF-8"\n', environment: 'LANG=C\n' }),
    ).toEqual({
      language: { LANG: 'de_DE.UTF-8' },
    })
    expect(
      systemDefaults({ localeConf: '# LANG=x\nLANG=sv_SE.UTF-8 # Swedish\nLC_TIME=C', defaultLocale: 'LANG=C' }),
    ).toEqual({
      language: { LANG: 'sv_SE.UTF-8', LC_TIME: 'C' },
    })
    expect(systemDefaults({})).toEqual({ language: {} })
  })

  test('reads only the path from environment(5)', () => {
    const environment = `PATH="/opt/bin:/usr/bin"\nLD_PRELOAD=/x.so\nexport LC_ALL='C.UTF-8'\n`
    expect(systemDefaults({ environment })).toEqual({ language: { LC_ALL: 'C.UTF-8' }, path: '/opt/bin:/usr/bin' })
  })
})
