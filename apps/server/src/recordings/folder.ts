// Where recordings are written: in the data folder, or in one of the settings, which several nodes may share.
import { join, resolve } from 'node:path'

/** @param settings `BOWLINE_RECORDINGS_DIR`; undefined: in the data folder */
export function recordingsFolder(
  { BOWLINE_RECORDINGS_DIR: own }: { readonly BOWLINE_RECORDINGS_DIR: string | undefined },
  dataFolder: string,
): string {
  return own === undefined ? join(dataFolder, 'recordings') : resolve(own)
}
