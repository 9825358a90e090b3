// Results of a command: progress, and devices grouped by the same result.
import { csvLine } from '@bowline/base/csv'
import { useStore } from '../../core/context.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Badge, Button, Group, Stack, Text } from '../../ui/kit.ts'
import { uiMessages } from '../../ui/messages.ts'
import { compareNames, formatCount, formatList } from '../../ui/text/numbers.ts'
import { saveFile } from '../../ui/text/save-file.ts'
import type { PaneDevice } from '../terminal/pane/pane-session.ts'
import { commandsMessages as texts } from './messages.ts'
import { type Outcome, type Result, type Run, type Same, grouped, hasFailed, isDone, isSuccess } from './run.ts'
import classes from './commands.module.css'

/** Groups that are drawn: devices that all say something else would fill the page with thousands. */
const MAX_GROUPS = 200

interface ResultsProps {
  readonly run: Run
  readonly command: string
  /** Runs the same again on these. */
  readonly onAgain: (devices: readonly PaneDevice[]) => void
  readonly onAnother: () => void
  readonly onClose: () => void
}

export function Results({ run, command, onAgain, onAnother, onClose }: ResultsProps) {
  const progress = useStore(run.progress)
  const { results, total, isRefused } = progress
  const isOver = isDone(progress)
  const failed = results.filter(hasFailed)
  const groups = grouped(results)
  return (
    <Stack gap="sm">
      <pre className={classes['command']}>{command}</pre>
      <progress
        className={classes['progress']}
        data-tone={toneOf(results)}
        aria-label={texts.progressLabel}
        value={results.length}
        max={total}
      />
      <Text component="output" size="sm">
        {isOver
          ? texts.summary(formatCount(results.filter(isSuccess).length), total)
          : texts.progress(formatCount(results.length), total)}
      </Text>
      {isRefused ? <Callout tone="warn">{texts.refusedEarly}</Callout> : null}
      <ul aria-label={texts.results} className={classes['groups']}>
        {groups.slice(0, MAX_GROUPS).map((same) => (
          <li key={same.key}>
            <ResultGroup same={same} />
          </li>
        ))}
      </ul>
      {groups.length > MAX_GROUPS ? (
        <Text size="sm">{texts.moreGroups(formatCount(groups.length - MAX_GROUPS))}</Text>
      ) : null}
      <Group justify="flex-end" gap="xs">
        {isOver ? (
          <>
            <Button variant="default" onClick={() => saveFile(tableOf(results), 'command.csv')}>
              {texts.save}
            </Button>
            {failed.length > 0 ? (
              <Button variant="default" onClick={() => onAgain(failed.map(({ device }) => device))}>
                {texts.again(failed.length)}
              </Button>
            ) : null}
            <Button variant="default" onClick={onAnother}>
              {texts.another}
            </Button>
            <Button onClick={onClose}>{uiMessages.close}</Button>
          </>
        ) : (
          <Button variant="default" onClick={() => run.stop()}>
            {texts.stop}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function ResultGroup({ same: { outcome, output, isCut, results } }: { readonly same: Same }) {
  const names = results.map(({ device }) => device.name).toSorted(compareNames)
  const isGood = outcome.kind === 'exited' && outcome.status === 0
  return (
    <details className={classes['group']} open={!isGood && outcome.kind !== 'stopped'}>
      <summary>
        <Text span size="sm" fw={550}>
          {texts.devices(results.length)}
        </Text>{' '}
        {outcome.kind === 'failed' ? null : (
          <Badge variant="default" tt="none">
            {wordsOf(outcome)}
          </Badge>
        )}{' '}
        <Text span size="xs" c="dimmed" className={outcome.kind === 'failed' ? '' : (classes['first'] ?? '')}>
          {outcome.kind === 'failed' ? outcome.reason : output.split('\n', 1)[0]}
        </Text>
      </summary>
      <Text size="xs" c="dimmed">
        {formatList(names)}
      </Text>
      {output === '' ? (
        <Text size="xs">{texts.noOutput}</Text>
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so keys must be able to reach it
        <section className={classes['output']} tabIndex={0} aria-label={texts.output}>
          <pre>{output}</pre>
        </section>
      )}
      {isCut ? <Text size="xs">{texts.cut}</Text> : null}
    </details>
  )
}

/** Whether the results so far are good; bad where none is. */
function toneOf(results: readonly Result[]): 'good' | 'mixed' | 'bad' {
  if (!results.some(hasFailed)) return 'good'
  return results.some(isSuccess) ? 'mixed' : 'bad'
}

function wordsOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'exited':
      return texts.exited(outcome.status)
    case 'killed':
      return texts.killed(outcome.signal)
    case 'failed':
      return outcome.reason
    default:
      return texts[outcome.kind]
  }
}

/** Columns by names for programs, whatever the language. */
function tableOf(results: readonly Result[]): Blob {
  const head = ['device', 'uid', 'outcome', 'status', 'milliseconds', 'output']
  const rows = results.map(({ device, outcome, milliseconds, output }) => {
    const status = 'status' in outcome ? outcome.status : 'signal' in outcome ? outcome.signal : wordsOf(outcome)
    return [device.name, device.uid, outcome.kind, String(status), String(milliseconds), output]
  })
  return new Blob([head, ...rows].map(csvLine), { type: 'text/csv' })
}
