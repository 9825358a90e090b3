// Thread that reads answers of identity providers.
import { parentPort } from 'node:worker_threads'
import type { Reading, ReadingTask } from './reader.ts'
import { openResponse, verifyResponse } from './response.ts'
import { XmlRefused } from './xml-tree.ts'

parentPort?.on('message', (task: ReadingTask) => {
  void read(task).then((reading) => parentPort?.postMessage(reading))
})

async function read({ field, inResponseTo, rules }: ReadingTask): Promise<Reading> {
  try {
    const opened = await openResponse(field)
    if (opened.inResponseTo !== inResponseTo) throw new XmlRefused('it answers another request than it seemed to')
    return { person: await verifyResponse(opened, { ...rules, requestId: inResponseTo }) }
  } catch (error) {
    if (error instanceof XmlRefused) return { refused: error.message }
    return { failed: error instanceof Error ? error.message : String(error) }
  }
}
