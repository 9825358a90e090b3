// Identity and name of the namespace.
import { NamespaceName } from '@bowline/contract/schemas/namespace'
import { useState } from 'react'
import { z } from 'zod'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { Fact } from '../../ui/page/facts.tsx'
import { GatedButton } from '../../ui/feedback/gated.tsx'
import { Text, TextInput } from '../../ui/kit.ts'
import { formatCount, formatMoment } from '../../ui/text/numbers.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { settingsMessages as texts } from './messages.ts'
import type { SettingsProps } from './use-namespace-settings.ts'
import classes from './settings.module.css'

const Fields = z.object({ name: NamespaceName })

export function GeneralSettings({ namespace, settings, may }: SettingsProps) {
  const [renaming, setRenaming] = useState(false)
  const { facts } = texts
  return (
    <SectionCard
      id="namespace"
      title={`${texts.general} ${namespace.name}`}
      actions={
        <GatedButton
          size="compact-sm"
          variant="default"
          may={may}
          why={texts.roleTooLow}
          onClick={() => setRenaming(true)}
        >
          {texts.rename}
        </GatedButton>
      }
    >
      <dl className={classes['facts']}>
        <Fact name={facts.tenant}>
          <code>{namespace.tenant_id}</code>
          <CopyButton text={namespace.tenant_id} what={texts.tenantWhat} />
        </Fact>
        <Fact name={facts.type}>{texts.types[namespace.type]}</Fact>
        <Fact name={facts.created}>{formatMoment(namespace.created_at)}</Fact>
        <Fact name={facts.devices}>{formatCount(namespace.device_count)}</Fact>
        <Fact name={facts.limit}>{namespace.max_devices < 0 ? texts.noLimit : formatCount(namespace.max_devices)}</Fact>
      </dl>
      <Dialog opened={renaming} onClose={() => setRenaming(false)} title={texts.renameTitle}>
        <Rename namespace={namespace} settings={settings} onDone={() => setRenaming(false)} />
      </Dialog>
    </SectionCard>
  )
}

function Rename({ namespace, settings, onDone }: Omit<SettingsProps, 'may'> & { readonly onDone: () => void }) {
  const form = useContractForm({
    schema: Fields,
    values: { name: namespace.name },
    labels: texts.labels,
    taken: texts.taken,
    async send({ name }) {
      const before = { name: namespace.name }
      if (name !== before.name) await settings.save.send({ change: { name }, before, done: texts.renamed(name) })
      onDone()
    },
  })
  return (
    <DialogForm form={form} failed={texts.renameFailed} submit={texts.rename} onCancel={onDone}>
      <Text size="sm">{texts.renameText}</Text>
      <TextInput {...form.field('name')} data-autofocus autoComplete="off" autoCapitalize="none" spellCheck={false} />
    </DialogForm>
  )
}
