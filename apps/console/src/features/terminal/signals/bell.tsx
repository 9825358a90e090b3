// The bell of a terminal on the screen: a short frame.
import { useStore } from '../../../core/context.tsx'
import type { Signals } from './signals.ts'
import classes from './signals.module.css'

export function Bell({ signals }: { readonly signals: Signals }) {
  const bells = useStore(signals.bells)
  // The key starts the animation anew.
  return bells === 0 ? null : <div key={bells} className={classes['bell']} aria-hidden />
}
