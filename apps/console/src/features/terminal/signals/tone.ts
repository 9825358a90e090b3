// The tone of the bell.

const TONE = { hertz: 660, seconds: 0.12, gain: 0.08 }

let audio: AudioContext | undefined

export function ring(): void {
  audio ??= new AudioContext()
  const tone = new OscillatorNode(audio, { frequency: TONE.hertz })
  tone.connect(new GainNode(audio, { gain: TONE.gain })).connect(audio.destination)
  tone.start()
  tone.stop(audio.currentTime + TONE.seconds)
}
