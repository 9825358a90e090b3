// Renders parsed Markdown as React elements. Nothing is ever set as HTML.
import { type Block, type Inline, parseMarkdown } from './markdown.ts'
import classes from './announcements.module.css'

export function MarkdownView({ text }: { readonly text: string }) {
  return (
    <div className={classes['text']}>
      {parseMarkdown(text).map((block, index) => (
        <BlockView key={`${index} ${block.kind}`} block={block} />
      ))}
    </div>
  )
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'heading': {
      const Heading = `h${block.level}` as const
      return (
        <Heading>
          <InlineView parts={block.inner} />
        </Heading>
      )
    }
    case 'paragraph':
      return (
        <p>
          <InlineView parts={block.inner} />
        </p>
      )
    case 'quote':
      return (
        <blockquote>
          <InlineView parts={block.inner} />
        </blockquote>
      )
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul'
      return (
        <List>
          {block.items.map((item, index) => (
            <li key={`${index} ${item.length}`}>
              <InlineView parts={item} />
            </li>
          ))}
        </List>
      )
    }
    case 'code':
      return <pre>{block.text}</pre>
    case 'rule':
      return <hr />
  }
}

function InlineView({ parts }: { readonly parts: readonly Inline[] }) {
  return parts.map((part, index) => <PartView key={`${index} ${part.kind}`} part={part} />)
}

function PartView({ part }: { readonly part: Inline }) {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'code':
      return <code>{part.text}</code>
    case 'strong':
      return (
        <strong>
          <InlineView parts={part.inner} />
        </strong>
      )
    case 'emphasis':
      return (
        <em>
          <InlineView parts={part.inner} />
        </em>
      )
    case 'link':
      return (
        <a href={part.href} target="_blank" rel="noopener noreferrer nofollow">
          <InlineView parts={part.inner} />
        </a>
      )
  }
}
