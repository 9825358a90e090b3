// The thread that reads recordings through: a terminal's work must not hold up people's bytes. One recording at a time.
import { readlinkSync } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { createIndexWriter } from '../file/index-file.ts'
import { createPassages } from '../text/passages.ts'
import { restAfter, watchUse } from './throttle.ts'
import { readThrough } from './reading-through.ts'
import type { Answer, Task } from './indexing.ts'

/** Of 19. What people wait for gets ten times as much of a processor that both want. */
const NICENESS = 10

const say = (answer: Answer): void => parentPort?.postMessage(answer)

// Linux has priorities of threads: what people wait for goes first, other programs' work too.
setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS)

parentPort?.on('message', (task: Task) => {
  index(task).then(
    () => say({ type: 'done' }),
    (error: unknown) => say({ type: 'failed', message: error instanceof Error ? error.message : String(error) }),
  )
})

async function index(task: Task): Promise<void> {
  const unfinished = `${task.index}.part`
  const file = await open(task.cast, 'r')
  const made = await open(unfinished, 'w', 0o600)
  try {
    await fill(file, made)
  } finally {
    await file.close()
    await made.close()
  }
  await rename(unfinished, task.index)
}

async function fill(file: FileHandle, made: FileHandle): Promise<void> {
  const writer = createIndexWriter(made)
  const passages = createPassages()
  const used = watchUse()
  const tell = (): void => {
    const found = passages.take()
    if (found.length > 0) say({ type: 'passages', passages: found })
  }
  const atMs = await readThrough(file, {
    keyframe: (keyframe, screen) => writer.add(keyframe, screen),
    line: (at, text) => passages.add(at, text),
    async pause() {
      tell()
      const milliseconds = restAfter(used())
      if (milliseconds > 0) await rest(milliseconds)
    },
  })
  passages.end()
  tell()
  await writer.end(atMs, (await file.stat()).size)
}
