// OSC 9;4 (ConEmu, Windows Terminal): progress of a program. Pure.

export interface Progress {
  readonly kind: 'running' | 'failed' | 'paused'
  /** 0 to 100; undefined: unknown. */
  readonly percent: number | undefined
}

/**
 * @param data what follows `9;`
 * @returns undefined when there is no progress to show
 */
export function readProgress(data: string): Progress | undefined {
  const match = /^4;([1-4])(?:;(\d{1,3}))?;?$/.exec(data)
  if (!match) return undefined
  const percent = match[2] === undefined ? undefined : Math.min(100, Number(match[2]))
  if (match[1] === '1') return { kind: 'running', percent: percent ?? 0 }
  if (match[1] === '3') return { kind: 'running', percent: undefined }
  return { kind: match[1] === '2' ? 'failed' : 'paused', percent }
}
