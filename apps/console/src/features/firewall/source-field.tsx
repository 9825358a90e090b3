// Source of a rule's connections: anywhere, networks, or addresses that match a pattern.
import { canonicalNetwork } from '@bowline/contract/schemas/policy/network'
import { NativeSelect, TextInput } from '../../ui/kit.ts'
import { tagsMessages } from '../tags/messages.ts'
import classes from '../tags/tags.module.css'
import { firewallMessages } from './messages.ts'
import { type Source, networksOf } from './source.ts'

const texts = firewallMessages.source
const label = firewallMessages.labels.source_ip

interface SourceFieldProps {
  readonly value: Source
  readonly onChange: (change: Partial<Source>) => void
  readonly errors: Readonly<Record<'source_networks' | 'source_ip', string | null>>
}

export function SourceField({ value: { source, source_networks, source_ip }, onChange, errors }: SourceFieldProps) {
  const canonical = networksOf(source_networks).map(canonicalNetwork)
  const saved = canonical.every((one) => one !== undefined) ? canonical.join(', ') : ''
  return (
    <div className={classes['pattern']}>
      <NativeSelect
        label={label}
        value={source}
        onChange={(event) => onChange({ source: event.currentTarget.value as Source['source'] })}
        data={[
          { value: 'any', label: tagsMessages.any },
          { value: 'network', label: texts.network },
          { value: 'pattern', label: tagsMessages.matching },
        ]}
        error={source === 'any' ? (errors.source_ip ?? errors.source_networks) : null}
      />
      {source === 'network' ? (
        <TextInput
          label={texts.networkLabel}
          value={source_networks}
          description={saved === '' || saved === source_networks ? texts.networkHint : texts.saved(saved)}
          error={errors.source_networks ?? errors.source_ip}
          placeholder={texts.networkPlaceholder}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => onChange({ source_networks: event.currentTarget.value })}
        />
      ) : null}
      {source === 'pattern' ? (
        <TextInput
          label={tagsMessages.patternOf(label)}
          value={source_ip}
          error={errors.source_ip}
          placeholder={firewallMessages.addressPlaceholder}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => onChange({ source_ip: event.currentTarget.value })}
          onBlur={() => {
            // A network is meant as one: as a pattern it would match nothing.
            if (!source_ip.includes('/') || canonicalNetwork(source_ip) === undefined) return
            onChange({ source: 'network', source_networks: source_ip, source_ip: '' })
          }}
        />
      ) : null}
    </div>
  )
}
