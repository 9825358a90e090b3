// Worker thread that indexes recordings: terminal emulation must not delay sessions. One recording at a time.
import { createHash } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { createIndexWriter } from '../file/index-file.ts'
import { type Passage, createPassages } from '../text/passages.ts'
import { restAfter, watchUse } from './throttle.ts'
import { type ReadFacts, readThrough } from './reading-through.ts'
import type { RecordingFacts } from '../summary/summary.ts'
import type { Answer, Task } from './indexing.ts'

/** Out of 19. Interactive work gets ten times as much of a contended processor. */
const NICENESS = 10

const post = (answer: Answer): void => parentPort?.postMessage(answer)

// Linux has thread priorities: sessions take precedence, as do other programs.
setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS)

parentPort?.on('message', (task: Task) => {
  index(task).then(
    (facts) => post({ type: 'done', facts }),
    (error: unknown) => post({ type: 'failed', message: error instanceof Error ? error.message : String(error) }),
  )
})

async function index(task: Task): Promise<RecordingFacts> {
  const unfinished = `${task.index}.part`
  const file = await open(task.cast, 'r')
  try {
    const made = await open(unfinished, 'w', 0o600)
    const facts = await fill(file, made).finally(() => made.close())
    const sha256 = await hashOf(file)
    await rename(unfinished, task.index)
    return { ...facts, sha256 }
  } finally {
    await file.close()
  }
}

/** Of the whole file, as it is downloaded. */
async function hashOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  const used = watchUse()
  for await (const part of file.createReadStream({ start: 0, autoClose: false, highWaterMark: 1_048_576 })) {
    hash.update(part as Buffer)
    const milliseconds = restAfter(used())
    if (milliseconds > 0) await rest(milliseconds)
  }
  return hash.digest('hex')
}

async function fill(file: FileHandle, made: FileHandle): Promise<ReadFacts> {
  const writer = createIndexWriter(made)
  const passages = createPassages()
  const commands: Passage[] = []
  const used = watchUse()
  const tell = (): void => {
    const found = [...passages.take(), ...commands.splice(0)]
    if (found.length > 0) post({ type: 'passages', passages: found })
  }
  const facts = await readThrough(file, {
    keyframe: (keyframe, screen) => writer.add(keyframe, screen),
    line: (at, text) => passages.add(at, text),
    command: (atMs, text) => void commands.push({ atMs, text, kind: 'command' }),
    async pause() {
      tell()
      const milliseconds = restAfter(used())
      if (milliseconds > 0) await rest(milliseconds)
    },
  })
  passages.end()
  tell()
  await writer.end(facts.atMs, (await file.stat()).size)
  return facts
}
