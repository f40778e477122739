var W = 1200, boxes = [], wanted = '', note, search;
function number(e, name) { return +e.getAttribute('data-' + name); }
function place(x, w) {
   boxes.forEach(function (b) {
      var from = Math.max(number(b, 'x'), x),
          to = Math.min(number(b, 'x') + number(b, 'w'), x + w),
          r = b.querySelector('rect'), t = b.querySelector('text'),
          wide = (to - from) / w * W, left = (from - x) / w * W;
      b.style.display = wide > 0.1 ? '' : 'none';
      if (wide <= 0.1) return;
      r.setAttribute('x', left);
      r.setAttribute('width', Math.max(wide - 0.3, 0.1));
      t.setAttribute('x', left + 3);
      var name = b.getAttribute('data-n'),
          n = Math.floor((wide - 6) / 6.6);
      t.textContent = n < 3 ? '' : name.length <= n ? name
                      : name.slice(0, n - 2) + '..';
   });
}
function mark(text) {
   var sum = 0, end = -1, all = number(boxes[0], 'w') || 1;
   wanted = text;
   boxes.map(function (b) {
      var r = b.querySelector('rect'),
          found = text != '' && b.getAttribute('data-n').toLowerCase()
                                 .indexOf(text.toLowerCase()) >= 0;
      r.style.fill = found ? '#e600e6' : '';
      return found ? [number(b, 'x'), number(b, 'w')] : [0, 0];
   }).sort(function (p, q) { return p[0] - q[0]; })
   .forEach(function (p) {
      var from = Math.max(p[0], end), to = p[0] + p[1];
      if (to > from) { sum += to - from; end = to; }
   });
   search.textContent = text == '' ? 'search: Ctrl-F' : text + ': '
      + String(sum).replace(/\B(?=(\d{3})+$)/g, ',')
      + ' instructions, ' + (100 * sum / all).toFixed(2) + '%';
}
function ask(e) {
   var text = prompt('functions with this in their names:', wanted);
   if (text != null) mark(text);
   e.preventDefault();
   e.stopPropagation();
}
window.addEventListener('load', function () {
   boxes = Array.prototype.slice.call(document.querySelectorAll('g.f'));
   note = document.getElementById('note');
   search = document.getElementById('search');
   search.addEventListener('click', ask);
   window.addEventListener('keydown', function (e) {
      if ((e.ctrlKey || e.metaKey) && e.key == 'f') ask(e);
   });
   boxes.forEach(function (b) {
      b.addEventListener('click', function (e) {
         place(number(b, 'x'), number(b, 'w'));
         e.stopPropagation();
      });
      b.addEventListener('mouseover', function () {
         note.textContent = b.querySelector('title').textContent;
      });
   });
   document.documentElement.addEventListener('click', function () {
      place(number(boxes[0], 'x'), number(boxes[0], 'w'));
   });
});
