// Cost of recording output, in throughput and latency: the same work over a connection that is recorded and one that is
// not.
import { operations } from '@bowline/contract/operations'
import { interleave } from '../measure/interleave.ts'
import type { BenchOptions } from '../options.ts'
import type { Row } from '../row.ts'
import { type Scene, inScene } from '../site/scene.ts'
import type { Connection } from '../ssh-client.ts'
import { pairedRatios, percentile, spreadOf } from '../measure/statistics.ts'
import { TARGETS } from '../targets.ts'
import { openTerminal } from './keystroke.ts'

/** A log line with colours, as in a terminal. */
const LINE = '\\033[32m2026-11-20T10:00:00Z\\033[0m web-1 nginx: 192.0.2.7 GET /srv/app/index.html 200 "Mozilla/5.0"'

/** Per round. */
const KEYSTROKES = 400

type Recording = 'off' | 'best-effort' | 'required'

export function measureRecording(options: BenchOptions): Promise<Row[]> {
  return inScene(options, 'recording', async (scene) => {
    await using off = await connected(scene, 'off')
    await using on = await connected(scene, 'best-effort')
    await using whole = await connected(scene, 'required')
    return [
      await measureOne(options, 'pty', { off, on }, { work: 'terminal output, recorded', target: TARGETS.recording }),
      await measureOne(options, 'exec', { off, on }, { work: 'output of a command, its beginning recorded' }),
      await measureOne(options, 'required', { off, on: whole }, { work: 'output of a command, all of it recorded' }),
      await measureLatency(options, scene),
    ]
  })
}

/** A connection whose sessions are recorded under this policy. */
async function connected(scene: Scene, recording: Recording): Promise<Connection> {
  await record(scene, recording)
  return scene.ssh.connect('bowline', ['-c', 'aes128-gcm@openssh.com'])
}

/** Applies to new sessions. */
async function record({ site }: Scene, recording: Recording): Promise<void> {
  const policy = recording === 'required' ? 'required' : 'best-effort'
  const settings = { session_record: recording !== 'off', recording_policy: policy } as const
  await site.client.call(operations.namespaces.update, { params: { tenant: site.tenant }, body: { settings } })
}

/** From a keystroke to its echo, where output may only be sent after it is in the file. */
async function measureLatency(options: BenchOptions, scene: Scene): Promise<Row> {
  await record(scene, 'off')
  await using off = await openTerminal(scene.ssh, 'bowline')
  await record(scene, 'required')
  await using on = await openTerminal(scene.ssh, 'bowline')
  const terminals = { off, on }
  const medians = await interleave(
    (['off', 'on'] as const).map((name) => ({
      name,
      async measure() {
        const times: number[] = []
        for (let index = 0; index < KEYSTROKES; index += 1) times.push(await terminals[name].echo())
        return percentile(times, 0.5)
      },
    })),
    options.repeats,
    (name, ms) => options.say(`recording keystroke ${name}: p50 ${ms.toFixed(3)} ms`),
  )
  const [recorded = [], plain = []] = [medians.get('on'), medians.get('off')]
  return {
    id: 'recording.keystroke',
    work: 'keystroke echo, p50, recorded',
    peer: 'not recorded',
    unit: 'ratio',
    measured: spreadOf(pairedRatios(recorded, plain)),
    note: `${spreadOf(recorded).median.toFixed(3)} to ${spreadOf(plain).median.toFixed(3)} ms`,
    samples: { 'recorded p50 ms': recorded, 'not recorded p50 ms': plain },
  }
}

async function measureOne(
  options: BenchOptions,
  id: 'pty' | 'exec' | 'required',
  connections: { readonly off: Connection; readonly on: Connection },
  { work, target }: Pick<Row, 'work' | 'target'>,
): Promise<Row> {
  // A terminal of the device is slower than the path to it.
  const bytes = (options.megabytes * 1e6) / (id === 'pty' ? 8 : 2)
  const command = `yes "$(printf '${LINE}')" | head -c ${bytes}`
  const line = id === 'pty' ? 'shift; ssh -tt "$@" </dev/null >/dev/null' : '"$@" >/dev/null'
  const rates = await interleave(
    (['off', 'on'] as const).map((name) => ({
      name,
      measure: async () => bytes / 1e3 / (await connections[name].run(command, line)).milliseconds,
    })),
    options.repeats,
    (name, rate) => options.say(`recording ${id} ${name}: ${rate.toFixed(0)} MB/s`),
  )
  const [on = [], off = []] = [rates.get('on'), rates.get('off')]
  return {
    id: `recording.${id}`,
    work,
    peer: 'not recorded',
    unit: 'ratio',
    measured: spreadOf(pairedRatios(on, off)),
    ...(target ? { target } : {}),
    note: `${spreadOf(on).median.toFixed(0)} to ${spreadOf(off).median.toFixed(0)} MB/s`,
    samples: { 'recorded MB/s': on, 'not recorded MB/s': off },
  }
}
