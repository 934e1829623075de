/** The style sheet of a report: light and dark, screen and paper, telephone and desk. Colours are those of `pictures/picture.ts` by name. */

export const STYLE = `
:root { color-scheme: light dark;
  --ink: #1c2128; --faint: #59626e; --paper: #fff; --ground: #f4f6f8; --edge: #d3d9e0;
  --value: #0b5394; --band: #a9c7e8; --best: #fff0bd; --log: #8a4b00; --baseline: #7a1fa2; --warn: #8f1d14; --warn-ground: #fdf0ee;
  --chosen: #b3006b; --line-1: #0b5394; --line-2: #b3261e; --line-3: #1b7340; --line-4: #7a1fa2; --line-5: #8a4b00; --line-6: #00626e; }
@media screen and (prefers-color-scheme: dark) { :root {
  --ink: #e4e8ed; --faint: #a3adb9; --paper: #14181d; --ground: #1d232a; --edge: #3a434e;
  --value: #8ec1f5; --band: #2f5a86; --best: #443a12; --log: #f0b264; --baseline: #d9a1f2; --warn: #ffb4a9; --warn-ground: #3a1f1c;
  --chosen: #ff8ac8; --line-1: #8ec1f5; --line-2: #ff9d92; --line-3: #82d3a0; --line-4: #d9a1f2; --line-5: #f0b264; --line-6: #7fd4de; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 860px; margin: 0 auto; padding: 24px 20px 64px; overflow-wrap: anywhere; }
h1 { font-size: 1rem; font-weight: 600; color: var(--faint); margin: 0 0 8px; }
h2 { font-size: 1.35rem; line-height: 1.25; margin: 48px 0 12px; padding-top: 16px; border-top: 1px solid var(--edge); }
h3 { font-size: 1.05rem; line-height: 1.3; margin: 24px 0 4px; }
p { margin: 0 0 12px; }
.answer { font-size: 1.3rem; line-height: 1.4; margin: 0 0 12px; }
.note, .hint, figcaption .note { color: var(--faint); font-size: .875rem; }
.against { background: var(--warn-ground); border-left: 4px solid var(--warn); padding: 12px 16px; margin: 20px 0; }
.against h2 { font-size: 1rem; margin: 0 0 4px; padding: 0; border: 0; color: var(--warn); }
.against ul { margin: 0; padding-left: 20px; }
.against li { margin: 4px 0; }
nav ul { list-style: none; padding: 0; margin: 20px 0 0; display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: .9375rem; }
a { color: var(--value); }
figure { margin: 0 0 28px; }
figcaption p { margin: 4px 0 0; font-size: .9375rem; }
svg.plot { display: block; width: 100%; height: auto; max-width: 100%; overflow: visible; }
svg.plot text, svg.plot tspan { white-space: pre; }
.narrow { display: none; }
@media screen and (max-width: 560px) { .narrow { display: block; } .wide { display: none; } main { padding: 16px 14px 48px; } .answer { font-size: 1.125rem; } }
dl { display: grid; grid-template-columns: minmax(90px, max-content) 1fr; gap: 4px 16px; margin: 0 0 16px; font-size: .9375rem; }
dt { grid-column: 1; color: var(--faint); }
dd { grid-column: 2; margin: 0; }
dd.warn { color: var(--warn); }
@media screen and (max-width: 560px) { dl { display: block; } dt { margin-top: 8px; } }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; min-width: 100%; }
caption { text-align: left; font-weight: 600; padding: 4px 0 6px; }
th, td { padding: 0 10px 0 0; height: 28px; text-align: left; white-space: nowrap; font-weight: 400; border-bottom: 1px solid var(--edge); overflow-wrap: normal; }
thead th { font-weight: 600; color: var(--faint); vertical-align: bottom; }
th.number, td.number { text-align: right; padding: 0 0 0 14px; }
tbody th { max-width: 340px; overflow: hidden; text-overflow: ellipsis; }
.number + :not(.number) { padding-left: 14px; }
.scroll { overflow: auto; overflow-anchor: none; max-height: 620px; border: 1px solid var(--edge); padding: 0 10px; }
.scroll-x { overflow-x: auto; margin: 0 0 16px; }
.scroll thead th { position: sticky; top: 0; background: var(--paper); z-index: 1; box-shadow: inset 0 -1px var(--edge); }
.scroll thead button, .scroll tbody button { font: inherit; color: inherit; background: none; border: 0; padding: 2px 0; cursor: pointer; }
.scroll thead button:hover, .scroll tbody button:hover { text-decoration: underline; }
.scroll tbody button { max-width: 100%; overflow: hidden; text-overflow: ellipsis; text-align: left; color: var(--value); }
.scroll tbody tr.chosen { background: var(--ground); box-shadow: inset 4px 0 var(--chosen); }
.scroll tbody tr.space td { border: 0; padding: 0; height: auto; }
.tools { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; margin: 0 0 8px; font-size: .9375rem; }
.tools[hidden] { display: none; }
input, select, .tools button, .picked button { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--faint); border-radius: 4px; padding: 3px 8px; }
.tools .hint { flex-basis: 100%; }
.picked { position: sticky; bottom: 0; z-index: 2; display: flex; gap: 12px; align-items: baseline; justify-content: space-between; background: var(--ground); border: 1px solid var(--chosen); border-left-width: 4px; padding: 8px 12px; margin: 12px 0 0; font-size: .9375rem; }
.picked[hidden] { display: none; }
.picked p { margin: 0; } .picked button { white-space: nowrap; flex: none; overflow-wrap: normal; }
.mark-chosen { stroke: var(--chosen); fill: none; }
text.mark-chosen, circle.mark-chosen { fill: var(--chosen); stroke: none; }
:focus-visible { outline: 3px solid var(--value); outline-offset: 2px; }
pre { overflow: auto; max-height: 400px; background: var(--ground); padding: 10px 12px; font-size: .8125rem; }
details { margin: 8px 0; } summary { cursor: pointer; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; padding: 0; }
footer { margin-top: 48px; color: var(--faint); font-size: .875rem; }
@media print {
  @page { margin: 14mm; }
  body { font-size: 10.5pt; } main { max-width: none; padding: 0; }
  .tools, .picked, nav, .hint { display: none; }
  .scroll { overflow: visible; max-height: none; border: 0; padding: 0; } .scroll thead th { position: static; box-shadow: none; }
  .scroll-x { overflow: visible; } .scroll tbody tr.space { display: none; }
  table { font-size: 8pt; } th, td { height: auto; padding: 2px 6px 2px 0; white-space: normal; } th.number, td.number { padding: 2px 0 2px 6px; }
  figure, tr, .against { break-inside: avoid; } h2, h3 { break-after: avoid; } h2 { margin-top: 24px; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
