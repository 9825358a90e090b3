// The services that are printed for devices without an agent, read by what reads such files.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { ScratchFolder, hasCommand } from '@bowline/testkit/real-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectCommand, serviceSnippets } from './snippets.ts'

const UID = 'ab'.repeat(32)
const ADDRESS = { host: 'bowline.example.com', port: 2222 }
const textOf = (manager: string): string =>
  serviceSnippets(UID, ADDRESS).find(([title]) => title.startsWith(manager))?.[1] ?? ''

function fileOf(name: string, text: string): string {
  const scratch = new ScratchFolder()
  onTestFinished(() => scratch[Symbol.dispose]())
  const file = scratch.file(name)
  writeFileSync(file, `${text}\n`)
  return file
}

describe('the services of devices without an agent', () => {
  it('connect to this server by the uid, and hold no install key', () => {
    for (const [, text] of serviceSnippets(UID, ADDRESS)) {
      expect(text).toContain(UID)
      expect(text).toContain('bowline.example.com')
      expect(text).toContain('ExitOnForwardFailure=yes')
      expect(text).not.toContain('ik-')
    }
  })

  it('are options that ssh knows', () => {
    const args = connectCommand(UID, ADDRESS, '/dev/null').split(' ').slice(1)
    const parsed = spawnSync('ssh', ['-F', '/dev/null', '-G', ...args])
    expect([parsed.status, parsed.stderr.toString()]).toEqual([0, ''])
    expect(parsed.stdout.toString()).toMatch(new RegExp(`^user ${UID}$`, 'm'))
    expect(parsed.stdout.toString()).toMatch(/^port 2222$/m)
  })

  it.each(['OpenRC', 'procd'])('are a script of %s that a shell reads', (manager) => {
    const parsed = spawnSync('sh', ['-n', fileOf('script', textOf(manager))])
    expect([parsed.status, parsed.stderr.toString()]).toEqual([0, ''])
  })

  it.skipIf(!hasCommand('systemd-analyze'))('are a unit that systemd verifies', () => {
    const checked = spawnSync('systemd-analyze', ['verify', fileOf('bowline-ssh.service', textOf('systemd'))])
    expect([checked.status, checked.stderr.toString()]).toEqual([0, ''])
  })

  it.skipIf(!hasCommand('python3'))('are a property list that Python reads', () => {
    const program = 'import plistlib,sys; print(plistlib.load(open(sys.argv[1],"rb"))["ProgramArguments"][0])'
    const parsed = spawnSync('python3', ['-c', program, fileOf('bowline-ssh.plist', textOf('launchd'))])
    expect([parsed.stdout.toString(), parsed.stderr.toString()]).toEqual(['/usr/bin/ssh\n', ''])
  })
})
