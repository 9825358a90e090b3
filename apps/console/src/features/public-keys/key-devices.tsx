// Previews which devices a key's filter matches. Evaluated by the server, by the same rule as a login.
import { DeviceFilter } from '@bowline/contract/schemas/tag'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useRuntime } from '../../core/context.tsx'
import { describeError } from '../../ui/feedback/describe-error.ts'
import { Text } from '../../ui/kit.ts'
import { formatCount, formatList } from '../../ui/text/numbers.ts'
import { type DeviceChoice, toFilter } from '../tags/device-choice.ts'
import { publicKeysMessages } from './messages.ts'
import { keyDevicesQuery } from './queries.ts'

const texts = publicKeysMessages.devices
/** Long enough that a pattern typed quickly sends one request. */
const TYPING_MS = 250

export function KeyDevices({ choice }: { readonly choice: DeviceChoice }) {
  const { api } = useRuntime()
  const written = JSON.stringify(toFilter(choice))
  const [asked] = useDebouncedValue(written, TYPING_MS)
  const filter = DeviceFilter.safeParse(JSON.parse(asked)).data
  const { data, error } = useQuery(keyDevicesQuery(api, filter))
  // For the filter that was sent, not the one being typed.
  const isCurrent = written === asked && filter !== undefined
  return (
    <Text component="output" display="block" size="sm" c="dimmed" mih="1.5em">
      {isCurrent && error ? describeError(error).cause : null}
      {isCurrent && !error && data ? sentence(data) : null}
    </Text>
  )
}

interface Found {
  readonly matching: number
  readonly accepted: number
  readonly names: readonly string[]
}

function sentence({ matching, accepted, names }: Found): string {
  if (accepted === 0) return texts.noDevices
  if (matching === 0) return texts.none(formatCount(accepted))
  const more = matching - names.length
  const shown = more > 0 ? [...names, texts.more(formatCount(more))] : names
  return texts.some(formatCount(matching), formatCount(accepted), formatList(shown))
}
