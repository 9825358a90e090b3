import { expect, test } from 'vitest'
import { busyShare, parseMemory, parseMounts, parseProcessorTime } from './proc.ts'

const STAT = `cpu  1000 50 500 8000 400 20 30 100 700 0
cpu0 500 25 250 4000 200 10 15 50 350 0
cpu1 500 25 250 4000 200 10 15 50 350 0
intr 1 2 3
`

test('a processor that waits for a disk is idle, and guests are counted once', () => {
  expect(parseProcessorTime(STAT)).toEqual({ cpus: 2, busy: 1_700, total: 10_100 })
})

test('the busy share is that of the time between two readings', () => {
  const before = parseProcessorTime(STAT)
  expect(busyShare(before, { cpus: 2, busy: before.busy + 30, total: before.total + 120 })).toBe(0.25)
})

test('no time between two readings, and times that run backwards, are no share beyond 0 and 1', () => {
  const before = parseProcessorTime(STAT)
  expect(busyShare(before, before)).toBe(0)
  expect(busyShare(before, { cpus: 1, busy: 10, total: before.total + 10 })).toBe(0)
  expect(busyShare(before, { cpus: 1, busy: before.busy + 20, total: before.total + 10 })).toBe(1)
})

test('a text that is not /proc/stat is an error', () => {
  expect(() => parseProcessorTime('nothing')).toThrow('no times of the processors')
})

test('available memory is what the kernel estimates', () => {
  const meminfo = 'MemTotal:        2048 kB\nMemFree:          100 kB\nMemAvailable:    1024 kB\nCached: 512 kB\n'
  expect(parseMemory(meminfo)).toEqual({ totalBytes: 2_097_152, availableBytes: 1_048_576 })
})

test('an old kernel without the estimate has what is free or cached', () => {
  const meminfo = 'MemTotal: 2048 kB\nMemFree: 100 kB\nBuffers: 20 kB\nCached: 512 kB\n'
  expect(parseMemory(meminfo).availableBytes).toBe(632 * 1_024)
})

test('only filesystems that keep data and can be written are looked at, each once', () => {
  const mounts = [
    '/dev/sda1 / ext4 rw,relatime 0 0',
    'proc /proc proc rw 0 0',
    'tmpfs /run tmpfs rw 0 0',
    '/dev/sda1 /srv/bound ext4 rw,relatime 0 0',
    '/dev/sdb1 /mnt/my\\040data xfs rw 0 0',
    '/dev/loop1 /snap/core squashfs ro 0 0',
    '/dev/sdc1 /media/disc ext4 ro,noexec 0 0',
    'nas:/export /mnt/nas nfs4 rw 0 0',
    'overlay /var/lib/docker/overlay2/abc/merged overlay rw 0 0',
    '',
  ]
  expect(parseMounts(mounts.join('\n'))).toEqual(['/', '/mnt/my data'])
})

test('the root of a container is looked at', () => {
  expect(parseMounts('overlay / overlay rw,relatime 0 0\n/dev/vda /etc/hosts ext4 rw 0 0\n')).toEqual([
    '/',
    '/etc/hosts',
  ])
})
