// One ceremony at a time, started by a button.
import { useEffect, useRef, useState } from 'react'
import { cancelPasskeys } from './browser.ts'
import { isAborted } from './failure.ts'

export interface CeremonyState {
  /** The browser asks for the passkey, or the server checks it. */
  readonly isBusy: boolean
  /** Starts it, unless one runs. */
  readonly start: () => void
}

/** @param work throws what `onFailure` shows; leaving the page ends the browser's dialog silently */
export function useCeremony(work: () => Promise<void>, onFailure: (error: unknown) => void): CeremonyState {
  const [isBusy, setBusy] = useState(false)
  const isRunning = useRef(false)
  useEffect(
    () => () => {
      if (isRunning.current) cancelPasskeys()
    },
    [],
  )
  const run = async (): Promise<void> => {
    isRunning.current = true
    setBusy(true)
    try {
      await work()
    } catch (error) {
      if (!isAborted(error)) onFailure(error)
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }
  return { isBusy, start: () => (isRunning.current ? undefined : void run()) }
}
