// The secret that signs what is sent, in the dialog that shows it once.
import { Button, Group, Stack, Text } from '../../ui/kit.ts'
import { CopyField } from '../../ui/text/copy-field.tsx'
import { alertsMessages as texts } from './messages.ts'

export function NewSecret({ secret, onDone }: { readonly secret: string; readonly onDone: () => void }) {
  return (
    <Stack gap="md">
      <Text size="sm">{texts.secretText}</Text>
      <CopyField text={secret} what={texts.secretWhat} focusFirst />
      <Group justify="flex-end">
        <Button onClick={onDone}>{texts.done}</Button>
      </Group>
    </Stack>
  )
}
