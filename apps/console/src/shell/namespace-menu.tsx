// Menu of the current namespace: its tenant id to copy, and the person's other namespaces.
import type { Namespace } from '@bowline/contract/schemas/namespace'
import { useQuery } from '@tanstack/react-query'
import { Check, ChevronsUpDown, Copy, Plus, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { CreateNamespace } from '../features/namespaces/create-namespace.tsx'
import { namespacesMessages } from '../features/namespaces/messages.ts'
import { deletedNamespacesQuery, namespaceQuery, ownNamespacesQuery } from '../features/namespaces/queries.ts'
import { useRestoreNamespace } from '../features/namespaces/use-restore-namespace.ts'
import { useSwitchNamespace } from '../features/namespaces/use-switch-namespace.ts'
import { announce } from '../ui/feedback/announce.tsx'
import { copyText } from '../ui/text/copy-text.ts'
import { Text, UnstyledButton, VisuallyHidden } from '../ui/kit.ts'
import { MenuButton } from '../ui/controls/menu-button.tsx'
import { Menu } from '../ui/controls/menu-parts.tsx'
import { uiMessages } from '../ui/messages.ts'
import { formatMoment } from '../ui/text/numbers.ts'
import { usePerson, useRuntime } from '../core/context.tsx'
import { appMessages as texts } from '../core/messages.ts'
import classes from './namespace-menu.module.css'

export function NamespaceMenu() {
  const { api } = useRuntime()
  const person = usePerson()
  const tenant = person?.tenant ?? ''
  const [opened, setOpened] = useState(false)
  const [creating, setCreating] = useState(false)
  const { data: namespace, isError } = useQuery({ ...namespaceQuery(api, tenant), enabled: tenant !== '' })
  const namespaces = useQuery({ ...ownNamespacesQuery(api), enabled: opened })
  const { data: deleted = [] } = useQuery({ ...deletedNamespacesQuery(api), enabled: opened })
  const switchTo = useSwitchNamespace()
  const restore = useRestoreNamespace()
  if (tenant === '') return null
  const name = namespace?.name ?? (isError ? texts.namespaceUnknown : '\u00a0')
  const copyTenant = async () => announce((await copyText(tenant)) ? uiMessages.copied : uiMessages.copyFailed)
  return (
    <>
      <MenuButton
        onOpen={() => setOpened(true)}
        position="bottom-start"
        width={260}
        withinPortal
        face={
          <UnstyledButton className={classes['card'] ?? ''}>
            <VisuallyHidden>{texts.namespace}</VisuallyHidden>
            <span className={classes['text']}>
              <span className={classes['name']}>{name}</span>
              <span className={classes['tenant']}>{tenant}</span>
            </span>
            <ChevronsUpDown size={14} aria-hidden />
          </UnstyledButton>
        }
      >
        <Menu.Label>{namespacesMessages.yours}</Menu.Label>
        {namespaces.isError && !namespaces.data ? (
          <Menu.Item onClick={() => void namespaces.refetch()} closeMenuOnClick={false}>
            {namespacesMessages.loadFailed} {uiMessages.retry}
          </Menu.Item>
        ) : null}
        {(namespaces.data ?? (namespace ? [namespace] : [])).map((each) => (
          <Menu.Item
            key={each.tenant_id}
            aria-current={each.tenant_id === tenant}
            leftSection={
              each.tenant_id === tenant ? <Check size={15} aria-hidden /> : <span className={classes['gap']} />
            }
            onClick={() => each.tenant_id !== tenant && void switchTo.run(each)}
          >
            {each.name}
            <Text span size="xs" c="dimmed" ml={8}>
              {deviceCount(each)}
            </Text>
          </Menu.Item>
        ))}
        {deleted.length === 0 ? null : <Menu.Label>{namespacesMessages.deleted}</Menu.Label>}
        {deleted.map((each) => (
          <Menu.Item
            key={each.tenant_id}
            leftSection={<Undo2 size={15} aria-hidden />}
            onClick={() => void restore.run(each)}
          >
            {namespacesMessages.restoreOf(each.name)}
            <Text size="xs" c="dimmed">
              {namespacesMessages.deletedUntil(formatMoment(each.removed_at))}
            </Text>
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Copy size={15} aria-hidden />} onClick={() => void copyTenant()}>
          {texts.copyTenant}
        </Menu.Item>
        {person?.max_namespaces === 0 ? null : (
          <Menu.Item leftSection={<Plus size={15} aria-hidden />} onClick={() => setCreating(true)}>
            {namespacesMessages.create}
          </Menu.Item>
        )}
      </MenuButton>
      <CreateNamespace opened={creating} onClose={() => setCreating(false)} />
    </>
  )
}

function deviceCount({ device_count: count }: Namespace): string {
  return namespacesMessages.devices(count)
}
