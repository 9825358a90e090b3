// curl's sftp:// and scp://, which use libssh2.
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Row, type Site, rowsOf } from '../row.ts'
import { attempt, must, sha256, tool } from '../tool.ts'
import { someBytes } from './openssh.ts'

const SIZE = 2_097_152

/** With the password. */
const words = (site: Site, ...options: string[]): string[] => [
  'curl',
  '-sS',
  '-k',
  '--user',
  `${site.login}:${site.password}`,
  ...options,
]

async function thereAndBack(site: Site, scheme: 'sftp' | 'scp'): Promise<unknown> {
  const [near, back] = [join(site.scratch, 'near'), join(site.scratch, 'back')]
  const url = `${scheme}://${site.host}:${site.port}${site.home}/far`
  await writeFile(near, someBytes(SIZE))
  await tool(words(site, '-T', near, url))
  await tool(words(site, '-o', back, url))
  must(sha256(await readFile(back)) === sha256(await readFile(near)), 'another file came back')
  const { size, mode } = await stat(join(site.home, 'far'))
  const missing = await attempt(words(site, `${url}-that-is-not-there`))
  return { size, mode, missing: { code: missing.code, stdout: missing.stdout } }
}

export const curl = (): Row[] =>
  rowsOf('curl (libssh2)', ['curl'], {
    'sftp, there and back': (site) => thereAndBack(site, 'sftp'),
    'scp, there and back': (site) => thereAndBack(site, 'scp'),
    'sftp: commands, a listing, the rest of a file': async (site) => {
      const url = `sftp://${site.host}:${site.port}${site.home}/`
      await tool(words(site, '-T', '-', `${url}file`), { input: '0123456789' })
      const far = (name: string): string => `${site.home}/${name}`
      const commands = [
        `mkdir ${far('tree')}`,
        `rename ${far('file')} ${far('tree/other')}`,
        `chmod 600 ${far('tree/other')}`,
        `symlink ${far('tree/other')} ${far('tree/link')}`,
      ]
      const listed = await tool(words(site, ...commands.flatMap((command) => ['-Q', command]), '-l', `${url}tree/`))
      const rest = await tool(words(site, '-r', '4-7', `${url}tree/other`))
      must(rest.stdout === '4567', { listed, rest })
      return { names: listed.stdout.split('\n').toSorted(), rest: rest.stdout }
    },
    'a key': async (site) => {
      const key = ['--key', site.ecdsaKeyFile, '--pubkey', `${site.ecdsaKeyFile}.pub`, '--user', `${site.login}:`]
      const url = `sftp://${site.host}:${site.port}${site.home}/file`
      await tool(['curl', '-sS', '-k', ...key, '-T', '-', url], { input: 'by key\n' })
      const ran = await tool(['curl', '-sS', '-k', ...key, url])
      must(ran.stdout === 'by key\n', ran)
      return ran
    },
    'a wrong password, then the right one': async (site) => {
      const url = `sftp://${site.host}:${site.port}${site.home}/`
      const wrong = await attempt(['curl', '-sS', '-k', '--user', `${site.login}:wrong horse`, '-l', url])
      const right = await tool(words(site, '-l', url))
      must(wrong.code !== 0, wrong)
      return { wrong: wrong.code, right: right.stdout.split('\n').toSorted() }
    },
  })
