// The secret of a new API key, with the lines that use it.
import { type ReactNode, useEffect } from 'react'
import { guardUnload } from '../../platform/unload-guard.ts'
import { Button, Group, Stack, Text } from '../../ui/kit.ts'
import { CopyField } from '../../ui/text/copy-field.tsx'
import { teamMessages as texts } from './messages.ts'

interface SecretProps {
  readonly secret: string
  readonly isCopied: boolean
  readonly onCopied: () => void
  readonly onDone: () => void
}

/** Closes only once it was copied: it cannot be shown again. */
export function Secret({ secret, isCopied, onCopied, onDone }: SecretProps) {
  useEffect(() => guardUnload(() => true), [])
  // The commands name the variable: the key is in the history of the shell once at most.
  return (
    <Stack gap="md">
      <Text size="sm">{texts.secretText}</Text>
      <CopyField text={secret} what={texts.secretWhat} focusFirst onCopied={onCopied} />
      <Snippet title={texts.secretEnvironment}>
        <CopyField text={`export BOWLINE_API_KEY='${secret}'`} what={texts.secretEnvironmentWhat} onCopied={onCopied} />
      </Snippet>
      <Snippet title={texts.secretCurl}>
        <CopyField
          text={`curl -H "X-API-Key: $BOWLINE_API_KEY" '${location.origin}/api/devices'`}
          what={texts.secretCurlWhat}
        />
      </Snippet>
      <Group justify="flex-end">
        {isCopied ? null : (
          <Text size="sm" c="dimmed">
            {texts.secretFirst}
          </Text>
        )}
        <Button disabled={!isCopied} onClick={onDone}>
          {texts.secretCopied}
        </Button>
      </Group>
    </Stack>
  )
}

function Snippet({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        {title}
      </Text>
      {children}
    </div>
  )
}
