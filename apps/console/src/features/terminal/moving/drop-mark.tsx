// Shows on a pane where what is dragged would go.
import { useStore } from '../../../core/context.tsx'
import { dragPlace } from './drag.ts'
import classes from './moving.module.css'

export function DropMark({ pane }: { readonly pane: string }) {
  const place = useStore(dragPlace)
  if (typeof place !== 'object' || place.beside !== pane) return null
  return <div className={classes['mark']} data-edge={place.edge} aria-hidden />
}
