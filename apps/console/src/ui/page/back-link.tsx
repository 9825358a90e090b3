// Link from a detail page back to its list.
import { Link, type LinkProps } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import classes from './back-link.module.css'

interface BackLinkProps {
  readonly to: NonNullable<LinkProps['to']>
  readonly label: string
}

export function BackLink({ to, label }: BackLinkProps) {
  return (
    <Link to={to} className={classes['trail']}>
      <ChevronLeft size={15} aria-hidden />
      {label}
    </Link>
  )
}
