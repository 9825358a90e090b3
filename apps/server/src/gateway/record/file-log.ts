// Logs a channel's file transfers in its recording and in the events of its session.
import { type FileReader, describeOperation } from '../../recordings/files/operation.ts'
import { fileReaderOf } from '../../recordings/files/reader.ts'
import type { Recorder } from '../../recordings/record/recorder.ts'
import type { SessionRecord } from './session-record.ts'

/** @param run the started process @returns undefined when it transfers no files */
export function fileLog(
  run: Parameters<typeof fileReaderOf>[0],
  recorder: Recorder,
  record: SessionRecord,
  channelIndex: number,
): FileReader | undefined {
  return fileReaderOf(run, {
    done(operation) {
      recorder.mark(describeOperation(operation))
      record.note('file', channelIndex, { ...operation })
    },
    lost(reason) {
      record.note('file-log-ended', channelIndex, { message: reason })
      recorder.mark(`files are not told any more: ${reason}`)
      // With required recording, unreadable data must not pass.
      if (recorder.required) recorder.fail(new Error(reason))
    },
  })
}
