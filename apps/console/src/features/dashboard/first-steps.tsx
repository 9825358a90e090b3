// Checklist for a new namespace. Disappears when everything is done or somebody hides it.
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { Check, Circle } from 'lucide-react'
import { useState } from 'react'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { Button, Text, Title, VisuallyHidden } from '../../ui/kit.ts'
import { readSetting, writeSetting } from '../../platform/local-setting.ts'
import { statsQuery } from '../../core/devices/queries.ts'
import { ruleListQuery } from '../firewall/queries.ts'
import { namespaceQuery } from '../namespaces/queries.ts'
import { publicKeyListQuery } from '../public-keys/queries.ts'
import { dashboardMessages as texts } from './messages.ts'
import classes from './dashboard.module.css'

interface Step {
  readonly title: string
  readonly text: string
  readonly done: boolean
  readonly link: Pick<LinkProps, 'to' | 'search'>
}

export function FirstSteps() {
  const { api } = useRuntime()
  const tenant = usePerson()?.tenant ?? ''
  const setting = `bowline.first-steps.${tenant}`
  const [hidden, setHidden] = useState(() => readSetting(setting) === 'hidden')
  const enabled = !hidden && tenant !== ''
  const stats = useQuery({ ...statsQuery(api), enabled })
  const namespace = useQuery({ ...namespaceQuery(api, tenant), enabled })
  const keys = useQuery({ ...publicKeyListQuery(api, { page: 1, words: '' }), enabled })
  const rules = useQuery({ ...ruleListQuery(api), enabled })
  if (hidden || !stats.data || !namespace.data || !keys.data || !rules.data) return null
  const steps: readonly Step[] = [
    {
      title: texts.device,
      text: texts.deviceText,
      done: stats.data.devices.registered + stats.data.containers.registered > 0,
      link: { to: '/devices', search: { add: 'yes' } },
    },
    {
      title: texts.key,
      text: texts.keyText,
      done: keys.data.total > 0,
      link: { to: '/public-keys', search: { edit: 'new' } },
    },
    {
      title: texts.member,
      text: texts.memberText,
      done: namespace.data.members.length > 1,
      link: { to: '/team', search: { add: 'yes' } },
    },
    {
      title: texts.rule,
      text: texts.ruleText,
      done: rules.data.length > 0,
      link: { to: '/firewall', search: { edit: 'new' } },
    },
  ]
  const done = steps.filter((step) => step.done).length
  if (done === steps.length) return null
  return (
    <section aria-label={texts.steps} className={classes['steps']}>
      <div className={classes['head']}>
        <div>
          <Title order={2}>{texts.steps}</Title>
          <Text size="sm" c="dimmed">
            {texts.stepsText} {texts.stepsDone(done, steps.length)}
          </Text>
        </div>
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => {
            writeSetting(setting, 'hidden')
            setHidden(true)
          }}
        >
          {texts.hideSteps}
        </Button>
      </div>
      <ol className={classes['stepList']}>
        {steps.map(({ title, text, done: isDone, link }) => (
          <li key={title} className={classes['step']} data-done={isDone || undefined}>
            {isDone ? <Check size={16} aria-hidden /> : <Circle size={16} aria-hidden />}
            <VisuallyHidden>{isDone ? texts.done : texts.open}</VisuallyHidden>
            <span>
              <Link {...link} className={classes['stepLink']}>
                {title}
              </Link>
              <Text size="xs" c="dimmed">
                {text}
              </Text>
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
