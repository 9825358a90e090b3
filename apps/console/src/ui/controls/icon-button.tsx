// A button that is an icon. A plain element: lists have hundreds of them.
import type { ComponentProps } from 'react'
import classes from './icon-button.module.css'

export interface IconButtonProps extends ComponentProps<'button'> {
  /** Its name, as an icon says nothing to screen readers. */
  readonly 'aria-label': string
  /** Width and height in pixels; default 28. */
  readonly size?: number
  /** Default: without a border and a background. */
  readonly look?: 'default' | 'light' | 'filled' | 'danger' | undefined
}

const USUAL = 28

export function IconButton({ size = USUAL, look, className, style, ...button }: IconButtonProps) {
  return (
    <button
      type="button"
      {...button}
      className={className ? `${classes['button']} ${className}` : classes['button']}
      data-look={look}
      style={size === USUAL ? style : { ...style, width: size, height: size }}
    />
  )
}
