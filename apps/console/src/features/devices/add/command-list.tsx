// The commands of a way to install the agent, with a warning when other machines cannot reach this server.
import { useQuery } from '@tanstack/react-query'
import { usePerson, useRuntime } from '../../../core/context.tsx'
import { Callout } from '../../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx'
import { Skeleton, Text } from '../../../ui/kit.ts'
import { CopyField } from '../../../ui/text/copy-field.tsx'
import { infoQuery } from '../../instance/queries.ts'
import { devicesMessages } from '../messages.ts'
import type { AddWay } from '../search.ts'
import { addingMessages as texts } from './messages.ts'
import {
  type InstallTarget,
  ansibleCommand,
  cloudInit,
  containerCommand,
  rolloutScript,
  scriptCommand,
  serviceCommand,
} from './platform-commands.ts'
import classes from '../devices.module.css'

export type PlatformWay = Exclude<AddWay, 'agentless' | 'code'>

interface Snippet {
  readonly label: string
  readonly text: (target: InstallTarget) => string
}

const SNIPPETS: Readonly<Record<PlatformWay, readonly Snippet[]>> = {
  linux: [
    { label: texts.snippets.service, text: serviceCommand },
    { label: texts.snippets.user, text: scriptCommand },
  ],
  container: [
    { label: 'Podman', text: (target) => containerCommand('podman', target) },
    { label: 'Docker', text: (target) => containerCommand('docker', target) },
  ],
  cloud: [{ label: texts.snippets.userData, text: cloudInit }],
  fleet: [
    { label: 'Ansible', text: ansibleCommand },
    { label: texts.snippets.script, text: rolloutScript },
  ],
}

/** Chapters of the documentation that go further. */
const PAGES: Readonly<Record<PlatformWay, readonly (readonly [path: string, title: string])[]>> = {
  linux: [['/docs/overview/supported-platforms', texts.pages.platforms]],
  container: [['/docs/user-guides/devices/containers', texts.pages.containers]],
  cloud: [
    ['/docs/overview/supported-platforms/yocto', 'Yocto'],
    ['/docs/overview/supported-platforms/buildroot', 'Buildroot'],
  ],
  fleet: [
    ['/docs/user-guides/devices/rolling-out', texts.pages.fleet],
    ['/docs/overview/supported-platforms/wsl', texts.pages.wsl],
  ],
}

interface PlatformCommandsProps {
  readonly way: PlatformWay
  /** '' for none. */
  readonly installKey: string
  readonly focusFirst: boolean
}

export function PlatformCommands({ way, installKey: key, focusFirst }: PlatformCommandsProps) {
  const { api } = useRuntime()
  const info = useQuery(infoQuery(api))
  const tenant = usePerson()?.tenant ?? ''
  if (info.isError && !info.data) {
    return <ErrorPanel title={devicesMessages.commandFailed} error={info.error} onRetry={() => info.refetch()} />
  }
  if (!info.data || tenant === '') return <Skeleton height={56} />
  const target = { origin: location.origin, tenant, pin: info.data.pin, key }
  return (
    <div className={classes['install']}>
      <Text size="sm">{texts.intros[way]}</Text>
      {SNIPPETS[way].map(({ label, text }, index) => (
        <div key={label}>
          <Text size="sm" fw={550} mb={4}>
            {label}
          </Text>
          <CopyField text={text(target)} what={texts.copied(label)} focusFirst={focusFirst && index === 0} />
        </div>
      ))}
      <Text size="sm">
        {PAGES[way].map(([path, title], index) => (
          <span key={path}>
            {index === 0 ? null : ' · '}
            <a href={path} target="_blank" rel="noreferrer">
              {title}
            </a>
          </span>
        ))}
      </Text>
      {info.data.reachable ? null : (
        <Callout tone="warn" title={devicesMessages.localOnly}>
          {devicesMessages.localOnlyText} <code>BOWLINE_HOST=0.0.0.0</code>
        </Callout>
      )}
    </div>
  )
}
