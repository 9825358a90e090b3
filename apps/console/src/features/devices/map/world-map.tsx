// The drawn map: countries, and a button for each cluster of devices.
import type { DevicePositions } from '@bowline/contract/schemas/device'
import { Globe, Minus, Plus } from 'lucide-react'
import { type RefObject, memo, useId, useMemo } from 'react'
import { VisuallyHidden } from '../../../ui/kit.ts'
import { IconButton } from '../../../ui/controls/icon-button.tsx'
import { formatPosition } from '../../../ui/list/position.ts'
import { formatCount } from '../../../ui/text/numbers.ts'
import { SCALE, landPath } from './land.ts'
import classes from './map.module.css'
import { mapMessages as texts } from './messages.ts'
import { WHOLE_WORLD, shareOf } from './projection.ts'
import type { ViewportControl } from './use-viewport.ts'

export type Cell = DevicePositions['cells'][number]

interface WorldMapProps {
  readonly frame: RefObject<HTMLElement | null>
  readonly control: ViewportControl
  readonly cells: readonly Cell[]
  readonly chosen: string | undefined
  readonly isBusy: boolean
  readonly onPress: (cell: Cell) => void
}

/** Beyond the edges, for circles that reach in. */
const MARGIN = 0.05

export function WorldMap({ frame, control, cells, chosen, isBusy, onPress }: WorldMapProps) {
  const help = useId()
  const { viewport, size, handlers, zoomBy, show, wasDragged } = control
  const shown = cells
    .map((cell) => ({ cell, at: shareOf(cell, viewport, size) }))
    .filter(({ at }) => at.x > -MARGIN && at.x < 1 + MARGIN && at.y > -MARGIN && at.y < 1 + MARGIN)
  return (
    <div className={classes['frame']}>
      <VisuallyHidden id={help}>{texts.keys}</VisuallyHidden>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys move the map as the mouse does */}
      <section
        ref={frame}
        aria-label={texts.map}
        aria-describedby={help}
        aria-busy={isBusy}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys move it
        tabIndex={0}
        className={classes['map']}
        data-zoom={viewport.zoom.toFixed(3)}
        {...handlers}
      >
        {size.width > 0 ? (
          <>
            <Land
              x={viewport.x - 0.5 / viewport.zoom}
              y={viewport.y - (0.5 / viewport.zoom) * (size.height / size.width)}
              width={1 / viewport.zoom}
              height={size.height / size.width / viewport.zoom}
            />
            {shown.map(({ cell, at }) => (
              <Cluster
                key={cell.cell}
                cell={cell}
                left={at.x}
                top={at.y}
                isChosen={cell.cell === chosen}
                onPress={() => {
                  if (!wasDragged()) onPress(cell)
                }}
              />
            ))}
          </>
        ) : null}
      </section>
      <div className={classes['zoom']}>
        <IconButton size={32} look="default" aria-label={texts.zoomIn} onClick={() => zoomBy(2)}>
          <Plus size={16} aria-hidden />
        </IconButton>
        <IconButton size={32} look="default" aria-label={texts.zoomOut} onClick={() => zoomBy(0.5)}>
          <Minus size={16} aria-hidden />
        </IconButton>
        <IconButton size={32} look="default" aria-label={texts.whole} onClick={() => show(WHOLE_WORLD)}>
          <Globe size={16} aria-hidden />
        </IconButton>
      </div>
    </div>
  )
}

interface LandProps {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const Land = memo(({ x, y, width, height }: LandProps) => {
  const path = useMemo(() => landPath(), [])
  const edges = useId()
  const box = [x, y, width, height].map((value) => value * SCALE).join(' ')
  return (
    <svg className={classes['land']} viewBox={box} preserveAspectRatio="none" aria-hidden focusable="false">
      {/* Countries go on beyond the edges of the world, where no device is drawn. */}
      <clipPath id={edges}>
        <rect width={SCALE} height={SCALE} />
      </clipPath>
      <path d={path} clipPath={`url(#${edges})`} vectorEffect="non-scaling-stroke" />
    </svg>
  )
})

interface ClusterProps {
  readonly cell: Cell
  /** Shares of the map. */
  readonly left: number
  readonly top: number
  readonly isChosen: boolean
  readonly onPress: () => void
}

function Cluster({ cell, left, top, isChosen, onPress }: ClusterProps) {
  const all = cell.online + cell.offline
  const share = texts.share(formatCount(cell.online), formatCount(all))
  const name = texts.cluster(share, placeName(cell))
  return (
    <button
      type="button"
      className={classes['cluster']}
      aria-label={name}
      aria-pressed={isChosen}
      title={name}
      data-size={all < 10 ? 's' : all < 1_000 ? 'm' : 'l'}
      ref={(button) => {
        button?.style.setProperty('left', `${left * 100}%`)
        button?.style.setProperty('top', `${top * 100}%`)
        button?.style.setProperty('--online', `${(cell.online / all) * 360}deg`)
      }}
      onClick={onPress}
    >
      <span>{share}</span>
    </button>
  )
}

export function placeName(cell: Cell): string {
  return formatPosition(cell) ?? ''
}
