// Reads what a person would see of a document: blocks of Markdown, and the elements that can be worked with.
// It changes nothing in the page. Numbers of elements go on from `first`; `most` bounds the characters.
({ first, most }) => {
  const blocks = [], elements = [], nodes = [];
  const HEADS = { H1: 1, H2: 2, H3: 3, H4: 4, H5: 5, H6: 6 };
  const SKIP = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "OBJECT", "EMBED", "IFRAME", "FRAME"]);
  const ROLES = new Set(["button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox",
    "menuitemradio", "option", "combobox", "textbox", "searchbox", "slider", "spinbutton", "treeitem"]);
  const INPUTS = { checkbox: "checkbox", radio: "radio", button: "button", submit: "button", reset: "button",
    image: "button", range: "slider", number: "spinbutton", search: "searchbox", file: "file" };
  const TAKES_TEXT = new Set(["textbox", "searchbox", "spinbutton", "combobox"]);
  let line = "", owned = [], size = 0, cut = false;

  const squeeze = (text) => String(text ?? "").replace(/[\s\u200b\ufeff]+/g, " ");
  const short = (text, limit) => {
    const plain = squeeze(text).trim();
    return plain.length > limit ? plain.slice(0, limit - 1) + "…" : plain;
  };
  // Text of a page must not look like the number of an element.
  const quoted = (text) => text.replace(/\]\[(?=\d)/g, "]\\[");
  const style = (node) => getComputedStyle(node);
  const inline = (display) => display.startsWith("inline") || display === "contents" || display.startsWith("ruby");

  function push(text, tight = false) {
    if (!text.trim() || cut) { owned = []; return; }
    size += text.length;
    if (size > most) { cut = true; owned = []; return; }
    blocks.push({ text, elements: owned, tight });
    owned = [];
  }
  function flush(frame) {
    const text = line.replace(/ *\n */g, "\n").replace(/ {2,}/g, " ").trim();
    line = "";
    if (!text) return;
    const tight = frame.fresh === true;
    push(frame.lead() + text.replace(/\n/g, "\n" + frame.indent), tight);
  }
  const plainFrame = (indent) => ({ indent, lead: () => indent });
  // The mark of a list item stands before its first line only; `tight` blocks follow the one before without a gap.
  function itemFrame(indent, mark, tight) {
    const inner = indent + " ".repeat(mark.length), frame = { indent: inner, fresh: tight, started: false };
    frame.lead = () => {
      const lead = frame.started ? inner : indent + mark;
      frame.started = true;
      frame.fresh = false;
      return lead;
    };
    return frame;
  }

  function children(node) {
    if (node.shadowRoot) return node.shadowRoot.childNodes;
    if (node.tagName === "SLOT") {
      const given = node.assignedNodes();
      if (given.length) return given;
    }
    return node.childNodes;
  }
  function role(node) {
    const stated = (node.getAttribute("role") || "").trim().split(/\s+/)[0].toLowerCase();
    if (ROLES.has(stated)) return stated;
    switch (node.tagName) {
      case "A": case "AREA": return node.hasAttribute("href") ? "link" : "";
      case "BUTTON": return "button";
      case "SUMMARY": return "disclosure";
      case "SELECT": return node.multiple ? "listbox" : "combobox";
      case "TEXTAREA": return "textbox";
      case "INPUT": return node.type === "hidden" ? "" : INPUTS[node.type] || "textbox";
    }
    if (node.isContentEditable && !(node.parentElement && node.parentElement.isContentEditable)) return "textbox";
    if (node.hasAttribute("onclick")) return "clickable";
    const parent = node.parentElement;
    const hand = style(node).cursor === "pointer" && !(parent && style(parent).cursor === "pointer");
    return hand && !node.closest("a[href],button,label,summary,select") && !node.querySelector("a[href],button,input")
      ? "clickable" : "";
  }
  function named(ids, node) {
    const root = node.getRootNode();
    return ids.trim().split(/\s+/).map((id) => root.getElementById?.(id)?.textContent ?? "").join(" ");
  }
  // A label may hold its own field, whose words are not its own.
  function wordsOf(label) {
    const words = [], walker = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const within = walker.currentNode.parentElement?.closest("select,textarea,button,script,style");
      if (!within || within.contains(label)) words.push(walker.currentNode.data);
    }
    return words.join(" ");
  }
  function nameOf(node, kind) {
    const byId = node.getAttribute("aria-labelledby");
    const labels = node.labels ? [...node.labels].map(wordsOf).join(" ") : "";
    const pressed = node.tagName === "INPUT" && kind === "button" ? node.value || node.alt || node.type : "";
    const content = TAKES_TEXT.has(kind) || kind === "listbox" ? "" : node.innerText || pictures(node);
    const candidates = [byId ? named(byId, node) : "", node.getAttribute("aria-label"), labels, pressed, content,
      node.getAttribute("title"), node.getAttribute("placeholder"), node.getAttribute("name")];
    return short(candidates.find((text) => text && text.trim()) || "", 100);
  }
  const pictures = (node) => [...node.querySelectorAll("img[alt],svg title,[aria-label]")]
    .map((found) => found.getAttribute("alt") || found.getAttribute("aria-label") || found.textContent).join(" ");
  function valueOf(node, kind) {
    if (node.tagName === "INPUT" && node.type === "password") return node.value ? "(hidden)" : "";
    if (node.tagName === "INPUT" && node.type === "file") return [...node.files].map((file) => file.name).join(", ");
    if (node.tagName === "SELECT") return [...node.selectedOptions].map((option) => option.label.trim()).join(", ");
    if (!TAKES_TEXT.has(kind) && kind !== "slider") return "";
    return "value" in node ? String(node.value) : node.innerText;
  }
  function stateOf(node, kind) {
    const state = [], aria = (name) => node.getAttribute("aria-" + name);
    if (node.disabled || aria("disabled") === "true" || node.matches?.(":disabled")) state.push("disabled");
    if (["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"].includes(kind)) {
      state.push(node.checked === true || aria("checked") === "true" ? "checked" : "not checked");
    }
    if (kind === "disclosure") state.push(node.parentElement?.open ? "expanded" : "collapsed");
    else if (aria("expanded")) state.push(aria("expanded") === "true" ? "expanded" : "collapsed");
    if (aria("selected") === "true") state.push("selected");
    if (aria("pressed") === "true") state.push("pressed");
    if (aria("current") && aria("current") !== "false") state.push("current");
    if (node.required || aria("required") === "true") state.push("required");
    if (node.readOnly) state.push("read only");
    if (node.tagName === "A" && node.hasAttribute("download")) state.push("download");
    return state;
  }
  function register(node, kind) {
    const number = first + elements.length;
    const element = { number, role: kind, name: nameOf(node, kind), value: short(valueOf(node, kind), 200),
      state: stateOf(node, kind), url: "", options: [] };
    if (kind === "link" && typeof node.href === "string") {
      // The name of a blob is drawn anew each time; what a script or data link holds is no address.
      element.url = /^(blob|data|javascript):/i.test(node.href) ? node.protocol : node.href.slice(0, 2000);
    }
    if (node.tagName === "SELECT") {
      element.options = [...node.options].slice(0, 100).map((option) => short(option.label, 100));
    }
    elements.push(element);
    nodes.push(node);
    owned.push(number);
    return element;
  }

  function control(node, kind) {
    const element = register(node, kind);
    // A label that can be seen stands beside it already.
    const name = node.labels?.length ? "" : element.name, mark = element.state.includes("checked") ? "x" : " ";
    let shown = kind + (name && ` "${name}"`) + (element.value && `: ${element.value}`);
    if (["checkbox", "radio", "switch"].includes(kind)) shown = `(${mark})${name && ` ${name}`}`;
    if (kind === "button") shown = element.name || kind;
    line += ` [${quoted(shown)}][${element.number}] `;
  }
  function wrapped(node, kind, frame) {
    const element = register(node, kind), before = blocks.length, kept = line;
    line = "";
    walkAll(node, frame);
    const end = `][${element.number}]`;
    if (blocks.length === before) {
      const inside = line.trim() || quoted(element.name) || kind;
      line = `${kept}${/^\s/.test(line) ? " " : ""}[${inside}${end}${/\s$/.test(line) ? " " : ""}`;
      return;
    }
    // A whole card is the link: its number stands behind what it says.
    line = `${line.trim()} [→${end}`;
    flush(frame);
    if (kept.trim()) blocks.splice(before, 0, { text: frame.indent + kept.trim(), elements: [], tight: false });
  }

  function cellText(cell) {
    const kept = line, before = blocks.length;
    line = "";
    walkAll(cell, plainFrame(""));
    const parts = blocks.splice(before);
    for (const part of parts) owned.push(...part.elements);
    const text = [...parts.map((part) => part.text), line].join(" ");
    line = kept;
    return squeeze(text).trim().replace(/\|/g, "\\|");
  }
  function isData(table) {
    if (["presentation", "none"].includes(table.getAttribute("role"))) return false;
    if (table.querySelector("table") || table.rows.length < 2) return table.tHead !== null && !table.querySelector("table");
    const widest = Math.max(...[...table.rows].map((row) => row.cells.length));
    return widest >= 2 && !table.querySelector("h1,h2,h3,form");
  }
  function tabulate(table, frame) {
    flush(frame);
    if (table.caption) { line = cellText(table.caption); flush(frame); }
    const rows = [], spans = [];
    for (const row of table.rows) {
      if (style(row).display === "none") continue;
      const cells = [];
      const carry = () => { while (spans[cells.length] > 0) { spans[cells.length] -= 1; cells.push(""); } };
      for (const cell of row.cells) {
        carry();
        const at = cells.length, wide = Math.min(cell.colSpan || 1, 50);
        cells.push(style(cell).display === "none" ? "" : cellText(cell), ...Array(wide - 1).fill(""));
        for (let place = at; place < at + wide; place++) spans[place] = Math.max((cell.rowSpan || 1) - 1, 0);
      }
      carry();
      rows.push({ cells, owned });
      owned = [];
    }
    const width = Math.max(1, ...rows.map((row) => row.cells.length));
    const drawn = (cells) => "| " + [...cells, ...Array(width - cells.length).fill("")].join(" | ") + " |";
    rows.forEach((row, place) => {
      const rule = place === 0 ? "\n" + frame.indent + "|" + " --- |".repeat(width) : "";
      owned = row.owned;
      push(frame.lead() + drawn(row.cells) + rule, place > 0);
    });
  }
  function preformatted(node, frame) {
    flush(frame);
    const text = node.innerText.replace(/\n+$/, ""), fence = text.includes("```") ? "````" : "```";
    push([fence, ...text.split("\n"), fence].map((row) => frame.indent + row).join("\n"));
    for (const found of node.querySelectorAll("a[href]")) register(found, "link");
  }

  function listed(node, frame) {
    flush(frame);
    let number = node.tagName === "OL" ? node.start || 1 : 0, tight = frame.started !== undefined;
    for (const child of children(node)) {
      if (child.tagName === "LI") {
        if (style(child).display === "none") continue;
        const inner = itemFrame(frame.indent, number ? `${number++}. ` : "- ", tight);
        walkAll(child, inner);
        flush(inner);
        tight = true;
      } else walk(child, frame);
    }
  }
  function walkAll(node, frame) { for (const child of children(node)) { if (cut) return; walk(child, frame); } }
  function walk(node, frame) {
    if (node.nodeType === 3) {
      const parent = node.parentElement;
      if (parent && style(parent).visibility !== "visible") return;
      const keeps = parent && /^(pre|break-spaces|pre-wrap|pre-line)/.test(style(parent).whiteSpace);
      line += quoted(keeps ? node.data.replace(/[^\S\n]+/g, " ") : squeeze(node.data));
      return;
    }
    if (node.nodeType !== 1 || SKIP.has(node.tagName.toUpperCase())) return;
    const look = style(node);
    if (look.display === "none" || look.contentVisibility === "hidden") return;
    const shown = look.visibility === "visible", tag = node.tagName.toUpperCase();
    const kind = shown ? role(node) : "";
    const block = !inline(look.display) && look.float === "none" || look.display === "inline-block" && tag === "DIV";
    if (tag === "BR") { line += "\n"; return; }
    if (tag === "HR") { flush(frame); push(frame.indent + "---"); return; }
    if (tag === "IMG") {
      const alt = short(node.alt, 200);
      if (shown && alt) line += ` ![${quoted(alt)}] `;
      return;
    }
    if (tag === "SVG" || tag === "MATH" && node.hasAttribute("alttext")) {
      const drawn = [...node.querySelectorAll("text")].map((found) => found.textContent).join(" ");
      const said = node.getAttribute("alttext") || node.querySelector("title")?.textContent || drawn;
      if (shown && said.trim()) line += ` ${quoted(short(said, 400))} `;
      return;
    }
    if (["INPUT", "SELECT", "TEXTAREA"].includes(tag) || kind === "textbox") { if (kind) control(node, kind); return; }
    if (tag === "TABLE" && isData(node)) { tabulate(node, frame); return; }
    if (tag === "PRE" && shown) { preformatted(node, frame); return; }
    if (tag === "UL" || tag === "OL" || tag === "MENU") { listed(node, frame); return; }
    if (block) flush(frame);
    if (kind) wrapped(node, kind, frame);
    else if (HEADS[tag] || node.getAttribute("role") === "heading") {
      const level = HEADS[tag] || Math.min(Math.max(Number(node.getAttribute("aria-level")) || 2, 1), 6);
      const lead = frame.lead, marks = "#".repeat(level) + " ";
      frame.lead = () => lead() + marks;
      walkAll(node, frame);
      line = line.replace(/\n/g, " ");
      flush(frame);
      frame.lead = lead;
    } else if (tag === "BLOCKQUOTE") {
      const inner = plainFrame(frame.indent + "> ");
      walkAll(node, inner);
      flush(inner);
    } else if (tag === "CODE" && !node.querySelector("a[href],button,input") && shown) {
      const text = squeeze(node.textContent).trim();
      if (text) line += "`" + text + "`";
    } else if (tag === "DETAILS" && !node.open) {
      for (const child of children(node)) if (child.tagName === "SLOT" || child.tagName === "SUMMARY") walk(child, frame);
      const summary = node.querySelector(":scope > summary");
      if (summary && node.shadowRoot) walk(summary, frame);
    } else if ((tag === "STRONG" || tag === "B") && !block) {
      emphasised(node, frame, "**");
    } else walkAll(node, frame);
    if (block) flush(frame);
    else if (look.display === "table-cell" || look.display === "inline-block" || look.float !== "none") line += " ";
  }
  function emphasised(node, frame, mark) {
    const kept = line, before = blocks.length;
    line = "";
    walkAll(node, frame);
    const inside = line;
    const [, lead, text, tail] = /^(\s*)([\s\S]*?)(\s*)$/.exec(inside);
    line = blocks.length === before && text ? kept + lead + mark + text + mark + tail : kept + inside;
  }

  const root = document.body || document.documentElement, frame = plainFrame("");
  if (root) { walk(root, frame); flush(frame); }
  return { page: { title: short(document.title, 300), blocks, elements, cut }, nodes };
}
