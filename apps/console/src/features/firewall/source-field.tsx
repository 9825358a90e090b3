// Source of a rule's connections: anywhere, a network, or addresses that match a pattern. The rule always stores a
// pattern.
import { useState } from 'react'
import { NativeSelect, TextInput } from '../../ui/kit.ts'
import { ANY } from '../tags/pattern-field.tsx'
import { tagsMessages } from '../tags/messages.ts'
import classes from '../tags/tags.module.css'
import { firewallMessages } from './messages.ts'
import { networkOfPattern, normalNetwork, patternOfNetwork } from './network-pattern.ts'

const texts = firewallMessages.source
const label = firewallMessages.labels.source_ip

type SourceKind = 'any' | 'network' | 'pattern'

interface SourceFieldProps {
  /** RE2; `.*` for anything. */
  readonly value: string
  readonly onChange: (pattern: string) => void
  readonly error: string | null
}

export function SourceField({ value, onChange, error }: SourceFieldProps) {
  const [kind, setKind] = useState<SourceKind>(() =>
    value === ANY ? 'any' : networkOfPattern(value) ? 'network' : 'pattern',
  )
  const [network, setNetwork] = useState(() => (value === ANY ? '' : (networkOfPattern(value) ?? '')))
  const takeNetwork = (text: string) => {
    setNetwork(text)
    onChange(patternOfNetwork(text) ?? '')
  }
  const choose = (next: SourceKind) => {
    setKind(next)
    if (next === 'any') onChange(ANY)
    // A pattern starts out as the network's.
    else if (next === 'network') takeNetwork(network)
    else if (value === ANY) onChange('')
  }
  const normal = normalNetwork(network)
  return (
    <div className={classes['pattern']}>
      <NativeSelect
        label={label}
        value={kind}
        onChange={(event) => choose(event.currentTarget.value as SourceKind)}
        data={[
          { value: 'any', label: tagsMessages.any },
          { value: 'network', label: texts.network },
          { value: 'pattern', label: tagsMessages.matching },
        ]}
        error={kind === 'any' ? error : null}
      />
      {kind === 'network' ? (
        <TextInput
          label={texts.networkLabel}
          value={network}
          description={normal === undefined ? null : texts.saved(normal, value)}
          error={error === null || normal !== undefined ? null : texts.networkInvalid}
          placeholder={texts.networkPlaceholder}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => takeNetwork(event.currentTarget.value)}
        />
      ) : null}
      {kind === 'pattern' ? (
        <TextInput
          label={tagsMessages.patternOf(label)}
          value={value}
          error={error}
          placeholder={firewallMessages.addressPlaceholder}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => onChange(event.currentTarget.value)}
          onBlur={() => {
            // A network is meant as one: as a pattern it would match nothing.
            if (!value.includes('/') || normalNetwork(value) === undefined) return
            setKind('network')
            takeNetwork(value)
          }}
        />
      ) : null}
    </div>
  )
}
