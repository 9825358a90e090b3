// The ways to add a device where there is none yet: what the dialog shows. What arrives appears in the list itself.
import { useState } from 'react'
import { AddWays } from './add-ways.tsx'
import { rememberWay, wayOf } from './ways.ts'

export function FirstDevice() {
  const [way, setWay] = useState(() => wayOf('yes'))
  return (
    <AddWays
      way={way}
      onWay={(next) => {
        rememberWay(next)
        setWay(next)
      }}
    />
  )
}
