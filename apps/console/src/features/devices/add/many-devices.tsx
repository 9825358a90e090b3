// The way to add many devices at once: one command for all of them, with an install key.
import { Link } from '@tanstack/react-router'
import { Stack, Text } from '../../../ui/kit.ts'
import { addingMessages as texts } from './messages.ts'

export function ManyDevices() {
  return (
    <Stack gap="md">
      <Text size="sm">{texts.manyText}</Text>
      <Text size="sm">
        <Link to="/install-keys">{texts.toInstallKeys}</Link>
      </Text>
    </Stack>
  )
}
