// All firewall rules as JSON: to copy, to edit, to replace by a file, with the changes and their effect before they are made.
import { firewall } from '@bowline/contract/operations/firewall'
import type { Rule } from '@bowline/contract/schemas/firewall'
import type { DryRun } from '@bowline/contract/schemas/policy/dry-run'
import { type ProposedRule, type RuleChange, changesTo } from '@bowline/contract/schemas/policy/rule-changes'
import { useState } from 'react'
import { useMay, useRuntime } from '../../../core/context.tsx'
import { useAction } from '../../../core/use-action.ts'
import { Dialog } from '../../../ui/feedback/dialog.tsx'
import { GatedButton } from '../../../ui/feedback/gated.tsx'
import { TextArea } from '../../../ui/form/text-area.tsx'
import { Button, Group, Stack, Text } from '../../../ui/kit.ts'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { FileText } from '../../../ui/text/file-text.tsx'
import { saveFile } from '../../../ui/text/save-file.ts'
import { DryRunResult } from '../dry-run.tsx'
import { firewallMessages } from '../messages.ts'
import type { LockoutGuard } from '../use-lockout-guard.tsx'
import { ChangeList } from './change-list.tsx'
import { fileMessages as texts } from './messages.ts'
import { readRules, toText } from './rules-file.ts'
import { useApplyRules } from './use-apply-rules.ts'
import classes from '../firewall.module.css'

/** More than a thousand rules, which is how many a namespace may have, take. */
const MAX_BYTES = 4 * 1024 * 1024

interface RulesFileProps {
  /** All rules, in order. */
  readonly rules: readonly Rule[]
  readonly guard: LockoutGuard
  readonly onClose: () => void
}

export function RulesFileDialog({ opened, ...props }: RulesFileProps & { readonly opened: boolean }) {
  return (
    <Dialog opened={opened} onClose={props.onClose} title={texts.title} size="lg">
      <RulesFile {...props} />
    </Dialog>
  )
}

interface Review {
  readonly wanted: readonly ProposedRule[]
  readonly changes: readonly RuleChange[]
  readonly effect: DryRun | undefined
}

function RulesFile({ rules, guard, onClose }: RulesFileProps) {
  const { api } = useRuntime()
  const [text, setText] = useState(() => toText(rules))
  const [flaws, setFlaws] = useState<readonly string[]>([])
  const [review, setReview] = useState<Review>()
  const apply = useApplyRules()
  const may = [useMay('firewallCreate'), useMay('firewallEdit'), useMay('firewallRemove')].every(Boolean)

  const edit = (next: string) => {
    setText(next)
    setFlaws([])
    setReview(undefined)
  }
  const look = useAction({
    async call() {
      const read = readRules(text, rules)
      setFlaws(read.flaws ?? [])
      setReview(undefined)
      if (!read.rules) return
      const changes = changesTo(rules, read.rules)
      const body = { rules: [...read.rules] }
      const effect = changes.length > 0 ? (await api.call(firewall.tryChange, { body })).body : undefined
      setReview({ wanted: read.rules, changes, effect })
    },
    failed: firewallMessages.dryRun.failed,
  })
  const run = async ({ wanted, changes }: Review) => {
    if (!(await guard.ask({ rules: [...wanted] }))) return
    // Whatever was made is made: the rest is another review.
    if (await apply.run({ changes, before: rules })) onClose()
    else setReview(undefined)
  }
  return (
    <Stack>
      <Text size="sm">{texts.intro}</Text>
      <div>
        <TextArea
          label={texts.label}
          rows={16}
          spellCheck={false}
          autoCapitalize="off"
          className={classes['code'] ?? ''}
          value={text}
          onChange={({ currentTarget }) => edit(currentTarget.value)}
          error={flaws.length > 0 ? flaws.slice(0, 5).join(' ') : null}
          data-autofocus
        />
        <Group gap="xs" align="end">
          <FileText label={texts.open} accept="application/json,.json" maxBytes={MAX_BYTES} onText={edit} />
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => saveFile(new Blob([text], { type: 'application/json' }), 'firewall-rules.json')}
          >
            {texts.download}
          </Button>
          <CopyButton text={text} what={texts.what} />
        </Group>
      </div>
      {review ? <ChangeList changes={review.changes} rules={rules} /> : null}
      {review?.effect ? <DryRunResult result={review.effect} rules={rules} /> : null}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {texts.cancel}
        </Button>
        {review && review.changes.length > 0 ? (
          <GatedButton
            may={may}
            why={firewallMessages.roleTooLow}
            loading={apply.isPending}
            onClick={() => void run(review)}
          >
            {texts.apply(review.changes.length)}
          </GatedButton>
        ) : (
          <Button loading={look.isPending} onClick={() => void look.run()}>
            {texts.review}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
