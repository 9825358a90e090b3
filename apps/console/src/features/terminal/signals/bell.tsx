// The bell of a terminal: a short frame, and a tone where the person wants one.
import { useEffect, useRef } from 'react'
import { useStore } from '../../../core/context.tsx'
import { terminalSettings } from '../screen/settings.ts'
import type { Signals } from './signals.ts'
import classes from './signals.module.css'

const TONE = { hertz: 660, seconds: 0.12, gain: 0.08 }

export function Bell({ signals }: { readonly signals: Signals }) {
  const bells = useStore(signals.bells)
  const before = useRef(bells)
  const { bell } = useStore(terminalSettings)
  useEffect(() => {
    if (bells !== before.current && bell === 'sound') ring()
    before.current = bells
  }, [bells, bell])
  // The key starts the animation anew.
  return bells === 0 || bell === 'off' ? null : <div key={bells} className={classes['bell']} aria-hidden />
}

let audio: AudioContext | undefined

function ring(): void {
  audio ??= new AudioContext()
  const tone = new OscillatorNode(audio, { frequency: TONE.hertz })
  tone.connect(new GainNode(audio, { gain: TONE.gain })).connect(audio.destination)
  tone.start()
  tone.stop(audio.currentTime + TONE.seconds)
}
