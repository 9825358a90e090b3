// Attacks by authenticated clients.
import { ok } from 'node:assert/strict'
import { once } from 'node:events'
import type { TestClient } from '../support/test-client.ts'
import * as n from '../../src/wire/numbers.ts'
import { WireWriter } from '../../src/wire/writer.ts'
import { gone, leave, signedIn } from './attack.ts'
import type { Attack } from './attack.ts'

export const LATE_ATTACKS: readonly Attack[] = [
  {
    name: 'channels with packet sizes of zero and one are refused',
    ends: [],
    leaves: true,
    async run(target) {
      const attacker = await signedIn(target)
      for (const packetBytes of [0, 1, 255]) {
        attacker.sendOpen('session', packetBytes, { packetBytes })
        await attacker.next(n.MSG_CHANNEL_OPEN_FAILURE)
      }
      await leave(attacker)
    },
  },
  {
    name: 'a window of 4 GiB and packets of 4 GiB for endless output that is never read',
    ends: [],
    leaves: true,
    async run(target) {
      const attackers = await Promise.all([1, 2, 3, 4].map(() => signedIn(target)))
      for (const attacker of attackers) {
        const id = await attacker.openSession(1, { window: 0xffff_ffff, packetBytes: 0xffff_ffff })
        attacker.send(attacker.channelRequest(id, 'exec').string('exec cat /dev/zero').done())
        await attacker.next(n.MSG_CHANNEL_DATA)
        attacker.socket.removeAllListeners('data')
        attacker.socket.pause()
      }
      // Until no more output arrives.
      for (let still = 0, last = -1; still < 5;) {
        const { bytesOut, rss } = await target.report()
        ok(rss < 400 << 20, `${rss >> 20} MB`)
        still = bytesOut === last ? still + 1 : 0
        last = bytesOut
      }
      await Promise.all(attackers.map(leave))
    },
  },
  {
    name: 'input far beyond the window',
    ends: ['protocol/window-overrun'],
    leaves: false,
    async run(target) {
      const attacker = await signedIn(target)
      const id = await attacker.openSession(1)
      // A program that reads no input.
      attacker.send(attacker.channelRequest(id, 'exec').string('exec sleep 600').done())
      await attacker.next(n.MSG_CHANNEL_SUCCESS)
      for (let sent = 0; sent < 600 << 20 && !attacker.ended; sent += 32_768) {
        attacker.sendData(id, Buffer.alloc(32_768))
        // The server may reset the connection in the middle of a write.
        const drained = () => once(attacker.socket, 'drain').catch(() => undefined)
        if (attacker.socket.writableNeedDrain) await Promise.race([drained(), gone(attacker.socket)])
      }
      await gone(attacker.socket)
    },
  },
  {
    name: '20,000 channel opens: 1,024 at most are opened, the rest refused',
    ends: [],
    leaves: true,
    async run(target) {
      const attacker = await signedIn(target)
      for (let id = 0; id < 20_000; id += 1) attacker.sendOpen('session', id)
      let opened = 0
      for (let id = 0; id < 20_000; id += 1) {
        const reply = await attacker.next(n.MSG_CHANNEL_OPEN_CONFIRMATION, n.MSG_CHANNEL_OPEN_FAILURE)
        if (reply[0] === n.MSG_CHANNEL_OPEN_CONFIRMATION) opened += 1
      }
      ok(opened > 0 && opened <= 1_024, `${opened} were opened`)
      await leave(attacker)
    },
  },
  {
    name: 'a flood of channels that the handler rejects',
    ends: [],
    leaves: true,
    async run(target) {
      const attacker = await signedIn(target)
      const fields = new WireWriter().string('127.0.0.1').uint32(22).string('127.0.0.1').uint32(1).done()
      for (let id = 0; id < 5_000; id += 1) attacker.sendOpen('direct-tcpip', id, { fields })
      for (let id = 0; id < 5_000; id += 1) await attacker.next(n.MSG_CHANNEL_OPEN_FAILURE)
      await leave(attacker)
    },
  },
  {
    name: 'replies to nothing',
    ends: ['protocol/unknown-channel'],
    leaves: false,
    async run(target) {
      const channelReply = (type: number) => new WireWriter().byte(type).uint32(0)
      const replies = [
        channelReply(n.MSG_CHANNEL_SUCCESS).done(),
        channelReply(n.MSG_CHANNEL_OPEN_CONFIRMATION).uint32(1).uint32(1).uint32(32_768).done(),
        channelReply(n.MSG_CHANNEL_OPEN_FAILURE).uint32(1).string('').string('').done(),
        channelReply(n.MSG_CHANNEL_CLOSE).done(),
      ]
      for (const reply of replies) {
        const attacker = await signedIn(target)
        attacker.send(reply)
        await gone(attacker.socket)
      }
    },
  },
  {
    name: 'unknown requests by the thousand, whose answers are never read',
    ends: ['limit/queue-overflow'],
    leaves: false,
    async run(target) {
      const attacker = await signedIn(target)
      attacker.socket.removeAllListeners('data')
      attacker.socket.pause()
      const ping = new WireWriter(32_768).byte(n.MSG_PING).string(Buffer.alloc(30_000)).done()
      const request = attacker.globalRequest('unheard-of@example.com').done()
      for (let sent = 0; sent < 1_000 && !attacker.socket.destroyed; sent += 1) {
        attacker.send(ping)
        for (let more = 0; more < 10; more += 1) attacker.send(request)
      }
      const { socket } = attacker
      for (let open = 1; open > 0;) open = (await target.report()).open
      socket.destroy()
    },
  },
  {
    name: 'a key exchange that is never answered',
    ends: ['timeout/rekey-timeout'],
    leaves: false,
    async run(target) {
      const attacker = await signedIn(target, { answersRekey: false })
      const ignore = new WireWriter(32_768).byte(n.MSG_IGNORE).string(Buffer.alloc(32_000)).done()
      for (let sent = 0; sent < 66 << 20 && !attacker.ended; sent += ignore.length) {
        attacker.send(ignore)
        if (attacker.socket.writableNeedDrain) await once(attacker.socket, 'drain')
      }
      await gone(attacker.socket)
    },
  },
  {
    name: 'environment, terminal modes and commands without measure',
    ends: [],
    leaves: true,
    async run(target) {
      const request = async (write: (attacker: TestClient, id: number) => void) => {
        const attacker = await signedIn(target)
        write(attacker, await attacker.openSession(1))
        await attacker.next(n.MSG_CHANNEL_FAILURE)
        await leave(attacker)
      }
      await request((attacker, id) => {
        for (let nr = 0; nr < 1_000; nr += 1) {
          attacker.send(
            attacker
              .channelRequest(id, 'env', nr === 999)
              .string(`V${nr}`)
              .string('x')
              .done(),
          )
        }
      })
      const large = Buffer.alloc(32_700, 0x41)
      await request((attacker, id) =>
        attacker.send(attacker.channelRequest(id, 'env').string('V').string(large).done()),
      )
      await request((attacker, id) => {
        const pty = attacker.channelRequest(id, 'pty-req').string('xterm').uint32(80).uint32(24).uint32(0).uint32(0)
        attacker.send(pty.string(Buffer.alloc(20_000)).done())
      })
      const long = Buffer.alloc(250_000, 0x41)
      await request((attacker, id) => attacker.send(attacker.channelRequest(id, 'exec').string(long).done()))
    },
  },
  {
    name: 'a hundred thousand tiny packets and ten thousand window changes',
    ends: [],
    leaves: true,
    async run(target) {
      const attacker = await signedIn(target)
      const id = await attacker.openSession(1)
      const ignore = new WireWriter().byte(n.MSG_IGNORE).string('').done()
      for (let sent = 0; sent < 100_000; sent += 1) {
        attacker.send(ignore)
        if (attacker.socket.writableNeedDrain) await once(attacker.socket, 'drain')
      }
      const resize = attacker.channelRequest(id, 'window-change', false).uint32(1).uint32(1).uint32(0).uint32(0).done()
      for (let sent = 0; sent < 10_000; sent += 1) attacker.send(resize)
      attacker.send(new WireWriter().byte(n.MSG_PING).string('').done())
      await attacker.next(n.MSG_PONG)
      await leave(attacker)
    },
  },
]
